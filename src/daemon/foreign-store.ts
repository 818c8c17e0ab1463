import { sql } from 'kysely';
import type { ForeignStore } from '../config/trust/standing.ts';
import { readStamp } from '../config/trust/store.ts';
import { type Db, forgetMeta, readMeta } from '../journal/store.ts';
import { type Identity, writeFarmFile } from '../platform/farm-file.ts';
import type { Repo } from '../platform/git/run.ts';
import { openEntries } from '../work/entry/read.ts';
import { STAMP, stamp } from './farm/trust/keeper.ts';

/**
 * Counts what is in a store that this user's furrow did not make for this repository: one that came with a copy or an archive, or of
 * a version without stamps. Undefined: it is ours. A new store, and one that the command trusts, gets our stamp.
 */
export async function foreignStore(db: Db, key: string, fresh: boolean, trusts: boolean): Promise<ForeignStore | undefined> {
  if (await isStamped(db, key)) {
    await forgetSecrets(db);
    return undefined;
  }
  // One that was begun and cut short by a kill has nothing to be acted on.
  if (fresh || trusts || (await isEmpty(db))) {
    // Where the user's folder cannot be written, the next daemon asks again.
    await stamp(db, key).catch(() => {});
    return undefined;
  }
  const { tasks } = await db
    .selectFrom('task')
    .select((e) => e.fn.countAll<number>().as('tasks'))
    .executeTakeFirstOrThrow();
  return { tasks, queued: (await openEntries(db)).length };
}

/** True for a store that this user's furrow made for this repository. */
export async function isStamped(db: Db, key: string): Promise<boolean> {
  const known = await readStamp(key).catch(() => undefined);
  return known !== undefined && known === (await readMeta(db, STAMP));
}

/** The identity of a farm whose store is only read. Clients find it here; what became of the repository is decided after a yes. */
export async function onlyRead(repo: Repo, { file, before }: Identity): Promise<{ id: string; repo: Repo }> {
  if (before && before.gitDir !== repo.gitDir) await writeFarmFile(repo, { ...before, read: repo.gitDir });
  return { id: file.id, repo };
}

/** Earlier versions kept these in the store, where whoever can read the repository can read them. */
async function forgetSecrets(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const key of ['hook.secret', 'consent.%']) await forgetMeta(tx, key);
  });
}

async function isEmpty(db: Db): Promise<boolean> {
  for (const table of ['config_version', 'task', 'entry', 'attempt', 'intent', 'landing', 'agent', 'work'] as const)
    if (await db.selectFrom(table).select(sql`1`.as('one')).limit(1).executeTakeFirst()) return false;
  return true;
}
