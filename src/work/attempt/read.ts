import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import type { Attempt } from './store.ts';

/** The newest attempt of an agent or at a task, or the one of these with that number. */
export async function newestAttempt(db: Db, who: { agent?: string; task?: string }, n?: number): Promise<Attempt | undefined> {
  return db
    .selectFrom('attempt')
    .selectAll()
    .$if(who.agent !== undefined, (q) => q.where('agent', '=', who.agent!))
    .$if(who.task !== undefined, (q) => q.where('task', '=', who.task!))
    .$if(n !== undefined, (q) => q.where('n', '=', n!))
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

/** The newest attempt that worked on a branch. */
export async function lastAttemptOn(db: Db, branch: string): Promise<Attempt | undefined> {
  return db.selectFrom('attempt').selectAll().where('branch', '=', branch).orderBy('id', 'desc').executeTakeFirst();
}

const openAt = statement((db, { task }: { task: string }) =>
  db.selectFrom('attempt').selectAll().where('task', '=', task).where('state', '!=', 'ended').orderBy('id', 'desc').compile(),
);

/** The newest attempt at a task that has not ended. */
export async function openAttemptAt(db: Db | Tx, task: string): Promise<Attempt | undefined> {
  return (await openAt(db, { task })).rows[0];
}

/** The newest attempt at a task that left a commit. */
export async function lastWithCommit(db: Db, task: string): Promise<Attempt | undefined> {
  return db
    .selectFrom('attempt')
    .selectAll()
    .where('task', '=', task)
    .where('sha', 'is not', null)
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

const endedLast = statement((db, { limit }: { limit: number }) => {
  const columns = ['id', 'agent', 'outcome', 'ended'] as const;
  const rows = db.selectFrom('attempt').select(columns).where('ended', 'is not', null).orderBy('id', 'desc').limit(limit);
  return rows.$narrowType<{ ended: number }>().compile();
});

/** The newest attempts that have ended, the newest first. */
export async function lastEnded(db: Db, limit: number): Promise<(Pick<Attempt, 'id' | 'agent' | 'outcome'> & { ended: number })[]> {
  return (await endedLast(db, { limit })).rows;
}

/** True when an agent has begun another attempt since a time, before this one. */
export async function hasBegunSince(db: Db, { agent, id }: Pick<Attempt, 'agent' | 'id'>, since: number): Promise<boolean> {
  const earlier = db.selectFrom('attempt').select('id').where('agent', '=', agent).where('id', '<', id).where('started', '>=', since);
  return (await earlier.executeTakeFirst()) !== undefined;
}

const running = statement((db, { me }: { me: string }) =>
  db
    .selectFrom('attempt')
    .innerJoin('task', 'task.ref', 'attempt.task')
    .select(['attempt.agent as agent', 'task.title as title'])
    .where('attempt.state', '=', 'running')
    .where('attempt.agent', '!=', me)
    .orderBy('attempt.id')
    .limit(20)
    .compile(),
);

/** Attempts that run, with the titles of their tasks; up to twenty, without those of one agent. */
export async function othersAtWork(db: Db, me: string): Promise<{ agent: string; title: string }[]> {
  return (await running(db, { me })).rows;
}
