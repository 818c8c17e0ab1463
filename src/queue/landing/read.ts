import { keptRows } from '../../journal/kept-rows.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { entriesById } from '../../work/entry/read.ts';
import type { Entry } from '../../work/entry/store.ts';
import { entriesOf, type Landing } from './store.ts';

/** The landing with that commit. */
export async function landingAt(db: Db | Tx, commit: string): Promise<Landing | undefined> {
  return db.selectFrom('landing').selectAll().where('commit', '=', commit).orderBy('id').executeTakeFirst();
}

/** Landings with these commits, the oldest first. */
export async function landingsAt(db: Db | Tx, commits: readonly string[]): Promise<Landing[]> {
  if (commits.length === 0) return [];
  return db.selectFrom('landing').selectAll().where('commit', 'in', commits).orderBy('id').execute();
}

/** The newest landings, the newest first: of all targets, or of one. */
export async function recentLandings(db: Db | Tx, limit: number, target?: string | null): Promise<Landing[]> {
  return db
    .selectFrom('landing')
    .selectAll()
    .$if(target !== undefined, (q) => q.where('target', '=', target!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

const unpublished = statement((db, { target }: { target: string }) =>
  db.selectFrom('landing').selectAll().where('target', '=', target).where('published', 'is', null).orderBy('id').compile(),
);

/** Landings that their target has not followed yet, the oldest first: they are one chain. */
export async function landingsToPublish(db: Db | Tx, target: string): Promise<Landing[]> {
  return (await unpublished(db, { target })).rows;
}

const newestLanded = statement((db, { target, limit }: { target: string; limit: number }) =>
  db.selectFrom('landing').select(['commit', 'published']).where('target', '=', target).orderBy('id', 'desc').limit(limit).compile(),
);

/**
 * Commits of the newest landings of a target, the newest first, and whether the target has them. Few columns, because thousands are read at
 * a time.
 */
export async function landedCommits(db: Db | Tx, target: string, limit: number): Promise<Pick<Landing, 'commit' | 'published'>[]> {
  return (await newestLanded(db, { target, limit })).rows;
}

const published = keptRows<{ commit: string }>('landing');
const newestPublished = statement((db, { target, limit }: { target: string; limit: number }) =>
  db
    .selectFrom('landing')
    .select('commit')
    .where('target', '=', target)
    .where('published', 'is not', null)
    .orderBy('id', 'desc')
    .limit(limit)
    .compile(),
);

/** Commits of the newest landings that the target has, the newest first. */
export async function publishedCommits(db: Db | Tx, target: string, limit: number): Promise<string[]> {
  const rows = await published(db, async () => (await newestPublished(db, { target, limit })).rows, `${target} ${limit}`);
  return rows.map(({ commit }) => commit);
}

/** True for a tree that has landed on a target, and that nobody took out of it again. */
export async function hasLanded(db: Db | Tx, target: string, tree: string): Promise<boolean> {
  const rows = await db
    .selectFrom('landing')
    .select('removed')
    .where('target', '=', target)
    .where('tree', '=', tree)
    .orderBy('id')
    .execute();
  return rows.length > 0 && rows.every(({ removed }) => removed === null);
}

const removed = keptRows<Landing>('landing');
const takenOut = statement((db, { target }: { target: string }) =>
  db.selectFrom('landing').selectAll().where('target', '=', target).where('removed', 'is not', null).orderBy('id').compile(),
);

/** Landings that a person took out of the target, the oldest first. */
export async function removedLandings(db: Db | Tx, target: string): Promise<Landing[]> {
  return removed(db, async () => (await takenOut(db, { target })).rows, target);
}

/** Targets that something has landed on. */
export async function landedTargets(db: Db | Tx): Promise<string[]> {
  const rows = await db.selectFrom('landing').select('target').distinct().orderBy('target').execute();
  return rows.map(({ target }) => target);
}

/** The landings of an entry, the newest first: several when a person moved the target away from the first. */
export async function landingsWith(db: Db | Tx, entry: number): Promise<Landing[]> {
  const rows = await db.selectFrom('landing').selectAll().where('entries', 'like', `%${entry}%`).orderBy('id', 'desc').execute();
  return rows.filter((row) => entriesOf(row).includes(entry));
}

/** The entries that a landing brought. */
export async function workOf(db: Db | Tx, landing: Pick<Landing, 'entries'>): Promise<Entry[]> {
  return entriesById(db, entriesOf(landing));
}
