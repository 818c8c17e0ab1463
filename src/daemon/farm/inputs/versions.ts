import type { Selectable } from 'kysely';
import type { Config } from '../../../config/schema.ts';
import type { ConfigVersionRow } from '../../../journal/schema.ts';
import { statement } from '../../../journal/statement.ts';
import { type Db, readMeta, type Tx, writeMeta } from '../../../journal/store.ts';
import { specsOf } from '../check-specs.ts';
import { textHash } from './read.ts';

export type Version = Selectable<ConfigVersionRow>;

const newest = statement((db) => db.selectFrom('config_version').selectAll().orderBy('id', 'desc').limit(1).compile());

/** The version in force: the newest. */
export async function versionInForce(db: Db | Tx): Promise<Version | undefined> {
  return (await newest(db, {})).rows[0];
}

type NewVersion = Pick<Version, 'source' | 'commit' | 'text'>;

export async function storeVersion(tx: Tx, version: NewVersion, config: Config, now: number): Promise<Version> {
  const checks = JSON.stringify(specsOf(config.checks, config).map((check) => check.id));
  return tx
    .insertInto('config_version')
    .values({ ...version, at: now, hash: textHash(version.text), checks })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The state of furrow.yaml when the version in force was decided: a later state that differs is a change. */
export interface Seen {
  readonly target: string;
  readonly committed: string | null;
  readonly checkout: string | null;
}

const SEEN = 'config.seen';

export async function readSeen(db: Db): Promise<Seen | undefined> {
  const text = await readMeta(db, SEEN);
  return text === undefined ? undefined : (JSON.parse(text) as Seen);
}

export const writeSeen = (tx: Tx, seen: Seen) => writeMeta(tx, SEEN, JSON.stringify(seen));

/** The keys that two configurations differ in, as they are written: `check`, `queue.batch`. */
export function changedKeys(before: Config, after: Config): string[] {
  const differ = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Config)[];
  return keys.flatMap((key) => {
    const [a, b]: [unknown, unknown] = [before[key], after[key]];
    if (!differ(a, b)) return [];
    if (!isMap(a) || !isMap(b)) return [key];
    return [...new Set([...Object.keys(a), ...Object.keys(b)])]
      .filter((inner) => differ(a[inner], b[inner]))
      .map((inner) => `${key}.${inner}`);
  });
}

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
