import type { Db } from '../../journal/store.ts';
import { lastAttemptId, openAttempts } from '../../work/attempt/store.ts';

/** Makes a function that tells which attempts have ended and were settled. False for an attempt that the store does not know. */
export async function endedAttempts(db: Db): Promise<(attempt: number) => boolean> {
  const last = await lastAttemptId(db);
  const live = new Set((await openAttempts(db)).map((row) => row.id));
  return (id) => id <= last && !live.has(id);
}
