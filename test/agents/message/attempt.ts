import type { Db } from '../../../src/journal/store.ts';

/** The row of a running attempt, as far as messages care. */
export async function addAttempt(db: Db, id: number, agent: string): Promise<void> {
  const rest = { kind: 'scripted', state: 'running', base: '', branch: '', started: 0, ended: null, deadline: null } as const;
  const blank = { pid: null, pid_start: null, said: null, outcome: null, reason: null, sha: null, summary: null } as const;
  await db
    .insertInto('attempt')
    .values({ id, task: `t/${id}`, n: 1, agent, ...rest, ...blank })
    .execute();
}
