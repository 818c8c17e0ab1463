import { append } from '../../../journal/event.ts';
import { type Db, readMeta, type Tx, writeMeta } from '../../../journal/store.ts';
import { aimAttempts, lastAttemptBy } from '../../../work/attempt/store.ts';
import { aimEntries } from '../../../work/entry/store.ts';
import { targetOf } from '../target-of.ts';

/** The branch that new work lands on. It is stored, so a restart, a switched branch or a clone on another branch does not change it. */
export interface StoredTarget {
  readonly branch: string;
  readonly since: number;
  /** Why it is this one, for people. */
  readonly reason: string;
}

const KEY = 'target';

export async function readTarget(db: Db | Tx): Promise<StoredTarget | undefined> {
  const text = await readMeta(db, KEY);
  return text === undefined ? undefined : (JSON.parse(text) as StoredTarget);
}

/** Stores another target. Queued entries keep theirs; rows of earlier versions without a target get the first one. */
export async function storeTarget(tx: Tx, next: Omit<StoredTarget, 'since'>, now: number): Promise<StoredTarget> {
  const before = await readTarget(tx);
  const stored = { ...next, since: now };
  await writeMeta(tx, KEY, JSON.stringify(stored));
  if (before === undefined) {
    await aimEntries(tx, next.branch);
    await aimAttempts(tx, next.branch);
  }
  const moved = before === undefined ? `work lands on ${next.branch}` : `new work lands on ${next.branch}, no longer on ${before.branch}`;
  const data = { target: next.branch, before: before?.branch ?? null, reason: next.reason };
  await append(tx, { kind: 'target.changed', text: `${moved}: ${next.reason}`, data }, now);
  return stored;
}

/** The branch that an agent's last work was for; its head tells whether the work has landed. */
export async function lastTarget(farm: { readonly db: Db; readonly target: string }, agent: string): Promise<string> {
  const row = await lastAttemptBy(farm.db, agent);
  return targetOf(row ?? {}, farm);
}
