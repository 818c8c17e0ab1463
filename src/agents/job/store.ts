import { type Selectable, sql } from 'kysely';
import { append } from '../../journal/event.ts';
import { keptRows } from '../../journal/kept-rows.ts';
import type { JobRow } from '../../journal/rows/job.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { redact } from '../../platform/redact.ts';
import { isWith } from '../message/read.ts';
import { dropPending, send } from '../message/store.ts';
import { FURROW } from '../message/text.ts';
import type { OpenJob } from './plan.ts';
import { isEnd, type JobEvent, step } from './state.ts';

export type Job = Selectable<JobRow>;

interface NewJob {
  readonly requester: string;
  readonly owner: string;
  readonly text: string;
  /** Id of the attempt that asks for it; null: a person. */
  readonly askedBy: number | null;
  readonly deadline: number | null;
  readonly hops: number;
  readonly key: string | null;
  readonly words?: string | null;
  /** Its message waits for a person's yes. */
  readonly held?: boolean;
}

const BEGUN = {
  state: 'queued',
  attempt: null,
  note: null,
  summary: null,
  artifacts: '[]',
  cancel: null,
  reminded: 0,
  ended: null,
} as const;

/** Stores a job, sends the message that carries it, and answers the id of both. The same key again is the same job. */
export async function sendJob(tx: Tx, job: NewJob, now: number): Promise<number> {
  const { requester, owner, text, deadline, key } = job;
  const id = await send(tx, { ...job, sender: requester, receiver: owner, kind: 'job', body: text, deadline: null }, now);
  if (await findJob(tx, id)) return id;
  await tx
    .insertInto('job')
    .values({ ...BEGUN, id, requester, owner, text: redact(text), deadline, send_key: key, at: now, changed: now })
    .execute();
  await append(tx, { kind: 'job.sent', agent: owner, text: `${requester} sent the job j${id} to ${owner}`, data: { job: id } }, now);
  return id;
}

export async function findJob(db: Db | Tx, id: number): Promise<Job | undefined> {
  return db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest jobs, or those from or to one, in the order they were sent. */
export async function jobsOf(db: Db | Tx, name: string | undefined, limit: number): Promise<Job[]> {
  const newest = db
    .selectFrom('job')
    .selectAll()
    .$if(name !== undefined, (q) => q.where((e) => e.or([e('requester', '=', name!), e('owner', '=', name!)])))
    .orderBy('id', 'desc')
    .limit(limit);
  return (await newest.execute()).reverse();
}

const jobs = keptRows<OpenJob>('job', 'message');

/** Every job that has not ended, with its message, in the order they were sent. */
export async function openJobs(db: Db | Tx): Promise<OpenJob[]> {
  return jobs(db, async () => {
    const rows = await db
      .selectFrom('job')
      .innerJoin('message', 'message.id', 'job.id')
      .select(['job.id', 'job.owner', 'job.state', 'job.attempt', 'job.deadline', 'job.cancel'])
      .select(['message.state as reached', 'message.attempt as reader', 'message.reason'])
      .where('job.ended', 'is', null)
      .orderBy('job.id')
      .execute();
    return rows.map(({ reached, reader, reason, ...job }) => ({ ...job, message: { state: reached, attempt: reader, reason } }));
  });
}

/** The jobs of one requester that have not ended. */
export async function openJobsFrom(db: Db | Tx, requester: string): Promise<Job[]> {
  return db.selectFrom('job').selectAll().where('ended', 'is', null).where('requester', '=', requester).orderBy('id').execute();
}

/** The number of jobs that an attempt sent and that have not ended. */
export async function jobsBy(db: Db | Tx, attempt: number): Promise<number> {
  const open = db
    .selectFrom('job')
    .innerJoin('message', 'message.id', 'job.id')
    .select((e) => e.fn.countAll<number>().as('count'));
  return Number((await open.where('job.ended', 'is', null).where('message.asked_by', '=', attempt).executeTakeFirstOrThrow()).count);
}

/** The jobs that an attempt has and has not ended, also one whose message it was handed and whose receipt is not proven yet. */
export async function jobsWith(db: Db | Tx, attempt: number): Promise<Job[]> {
  const open = db.selectFrom('job').innerJoin('message', 'message.id', 'job.id').selectAll('job').where('job.ended', 'is', null);
  const own = db.selectFrom('attempt').select('agent').where('id', '=', attempt);
  return open
    .where((e) =>
      e.or([e('job.attempt', '=', attempt), e.and([e('job.state', '=', 'queued'), e('job.owner', '=', own), isWith(attempt)(e)])]),
    )
    .orderBy('job.id')
    .execute();
}

/** The hops of the longest conversation in which an attempt has to answer a question or to end a job; undefined: it owes nothing. */
export async function owedHops(db: Db | Tx, agent: string, attempt: number): Promise<number | undefined> {
  const { rows } = await sql<{ hops: number | null }>`select max("hops") as "hops" from (
    select "hops" from "message" where "ask" = 'open' and "receiver" = ${agent} and "state" = 'delivered' and "attempt" = ${attempt}
    union all select "message"."hops" from "job" join "message" on "message"."id" = "job"."id"
      where "job"."ended" is null and "job"."attempt" = ${attempt}) as owed`.execute(db);
  return rows[0]?.hops ?? undefined;
}

/** Jobs whose message an attempt has just read are delivered to it. */
export async function noteDelivered(tx: Tx, attempt: number, now: number): Promise<void> {
  const read = await tx
    .selectFrom('job')
    .innerJoin('message', 'message.id', 'job.id')
    .select('job.id')
    .where('job.ended', 'is', null)
    .where('job.state', '=', 'queued')
    .where('job.owner', '=', (e) => e.selectFrom('attempt').select('agent').where('id', '=', attempt))
    .where('message.state', '=', 'delivered')
    .where('message.attempt', '=', attempt)
    .orderBy('job.id')
    .execute();
  for (const { id } of read) await advanceJob(tx, id, { on: 'delivered', attempt }, { note: '' }, now);
}

/** Words about a job beside its state. */
interface Said {
  readonly note: string;
  readonly summary?: string;
  readonly artifacts?: readonly string[];
}

/** Moves a job by one event, and tells whoever asked for it what they need to know. False: the event does not apply. */
export async function advanceJob(tx: Tx, id: number, event: JobEvent, said: Said, now: number): Promise<boolean> {
  const job = await findJob(tx, id);
  const to = job && step(job, event);
  if (!job || !to) return false;
  const ended = isEnd(to.state) ? now : null;
  const words = { note: redact(said.note), ...(said.summary !== undefined && { summary: redact(said.summary) }) };
  const artifacts = said.artifacts ? { artifacts: JSON.stringify(said.artifacts) } : {};
  await tx
    .updateTable('job')
    .set({ ...to, ...words, ...artifacts, changed: now, ended, reminded: event.on === 'said' ? 0 : job.reminded })
    .where('id', '=', id)
    .execute();
  const text = `job j${id} of ${job.requester} for ${job.owner}: ${to.state}${said.note ? `: ${said.note}` : ''}`;
  await append(tx, { kind: 'job.changed', agent: job.owner, attempt: to.attempt, text, data: { job: id, state: to.state } }, now);
  if (job.state === 'queued' && ended !== null) await dropPending(tx, id, `its job is ${to.state}: ${said.note}`, now);
  if (to.state !== 'delivered' && to.state !== 'running') await tellRequester(tx, job, to.state, said, event.on === 'said', now);
  if (event.on === 'ended' && job.state !== 'queued') await tellOwner(tx, job, to.state, said.note, now);
  return true;
}

async function tellRequester(tx: Tx, job: Job, state: string, said: Said, byOwner: boolean, now: number): Promise<void> {
  const parts = [`Job j${job.id} is ${state.replace('_', ' ')}.`, said.summary ?? said.note];
  if (said.artifacts && said.artifacts.length > 0) parts.push(`In the worktree of ${job.owner}: ${said.artifacts.join(', ')}`);
  const body = parts.filter(Boolean).join('\n');
  const answer = byOwner ? { sender: job.owner, kind: 'reply' as const, answers: job.id } : { sender: FURROW, kind: 'notify' as const };
  await send(tx, { ...answer, receiver: job.requester, body, thread: job.id }, now);
}

/** The agent may still be at it: it is told that nobody waits any more. */
async function tellOwner(tx: Tx, job: Job, state: string, note: string, now: number): Promise<void> {
  const open = job.attempt === null ? undefined : tx.selectFrom('attempt').select('id').where('id', '=', job.attempt);
  if (!(await open?.where('state', '!=', 'ended').executeTakeFirst())) return;
  const body = `Job j${job.id} is ${state}: ${note}. Nobody waits for it any more.`;
  await send(tx, { sender: FURROW, receiver: job.owner, kind: 'notify', body, thread: job.id }, now);
}

/** Wants a job cancelled. One that nobody has begun is cancelled at once; else its agent is told, and only it can say that it stopped. */
export async function cancelJob(tx: Tx, job: Job, by: string, reason: string, now: number): Promise<'cancelled' | 'asked' | 'over'> {
  if (isEnd(job.state)) return 'over';
  const note = `cancelled by ${by}: ${reason}`;
  const begun = await tx.selectFrom('message').select('state').where('id', '=', job.id).executeTakeFirst();
  if (job.state === 'queued' && (begun?.state === 'pending' || begun?.state === 'held')) {
    await advanceJob(tx, job.id, { on: 'ended', state: 'cancelled' }, { note }, now);
    return 'cancelled';
  }
  if (job.cancel !== null) return 'asked';
  await tx.updateTable('job').set({ cancel: note, changed: now }).where('id', '=', job.id).execute();
  await append(tx, { kind: 'job.cancelling', agent: job.owner, text: `job j${job.id} is to stop: ${note}`, data: { job: job.id } }, now);
  const body = `Job j${job.id} is not wanted any more (${note}). Stop working on it, then say: furrow job update ${job.id} --state cancelled --text "what was stopped, and what is left"`;
  await send(tx, { sender: FURROW, receiver: job.owner, kind: 'notify', body, thread: job.id }, now);
  return 'asked';
}

/** Counts a reminder at the end of a turn. */
export async function noteJobReminded(tx: Tx, ids: readonly number[], now: number): Promise<void> {
  for (const id of ids) {
    const job = await findJob(tx, id);
    if (!job || job.ended !== null) continue;
    const reminded = job.reminded + 1;
    await tx.updateTable('job').set({ reminded }).where('id', '=', id).execute();
    const text = `${job.owner} is reminded of the job j${id} (${reminded})`;
    await append(tx, { kind: 'job.reminded', agent: job.owner, attempt: job.attempt, text, data: { job: id } }, now);
  }
}

/** Deletes up to `most` jobs that ended before a time. Answers how many. */
export async function pruneJobs(db: Db, before: number, most: number): Promise<number> {
  const old = db.selectFrom('job').select('id').where('ended', '<', before).orderBy('id').limit(most);
  return Number((await db.deleteFrom('job').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
}
