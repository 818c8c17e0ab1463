import { type Db, readMeta, type Tx, writeMeta } from '../../../journal/store.ts';

/** The last push, and the remote's branch after it, which is there or ahead. */
export interface LastPush {
  readonly commit: string;
  readonly at: string;
}

const keyOf = (target: string, remote: string) => `push.at:${remote}:${target}`;

export async function lastPush(db: Db, target: string, remote: string): Promise<LastPush | undefined> {
  const stored = await readMeta(db, keyOf(target, remote));
  return stored === undefined ? undefined : (JSON.parse(stored) as LastPush);
}

export const noteLastPush = (tx: Tx, target: string, remote: string, last: LastPush) =>
  writeMeta(tx, keyOf(target, remote), JSON.stringify(last));
