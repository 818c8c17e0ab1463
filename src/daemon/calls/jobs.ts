import type { Job } from '../../agents/job/store.ts';
import { advanceJob, cancelJob, findJob, jobsOf, noteDelivered, sendJob } from '../../agents/job/store.ts';
import { tooLongResult } from '../../agents/message/limit.ts';
import { markDelivered, markHanded } from '../../agents/message/store.ts';
import { HUMAN } from '../../agents/message/text.ts';
import type { Handlers } from '../../api/server.ts';
import { commitTogether } from '../../journal/commit-together.ts';
import type { Tx } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import { type Desk, iso } from './context.ts';
import { askToSpread, brakeFor, HELD } from './many-receivers.ts';
import { numberOf } from './reply.ts';
import { onward, receiversOf, refuseEmpty, refuseFull, senderOf, type Talker, wakeFor, whyLater } from './senders-and-receivers.ts';

type Names = 'jobSend' | 'jobList' | 'jobShow' | 'jobUpdate' | 'jobCancel';

/** Jobs: requests that are not forgotten. */
export function jobs({ farm }: Desk): Pick<Handlers, Names> {
  const { db, clock } = farm;
  return {
    async jobSend({ to, text, deadline, key }, context) {
      refuseEmpty(text, 'furrow job send AGENT TEXT');
      const sender = senderOf(context);
      const { receivers } = await receiversOf(farm, [to], sender);
      const [owner] = receivers;
      if (!owner || owner === HUMAN || receivers.length > 1)
        throw new FurrowError('USAGE', `a job goes to one agent, and ${to} is not one`, { hint: 'furrow status' });
      const now = clock.now();
      const { id, held } = await commitTogether(db, async (tx) => {
        await refuseFull(tx, sender, owner);
        const hops = await onward(farm, tx, sender);
        const brake = await brakeFor(farm, tx, sender, [owner], text, false);
        const asked = { requester: sender.name, owner, text, askedBy: sender.attempt, hops, key: key ?? null, ...brake };
        const job = await sendJob(tx, { ...asked, deadline: deadline === undefined ? null : now + deadline }, now);
        if (brake.held && brake.words) await askToSpread(tx, sender, brake.words, text, [job], now);
        return { id: job, held: brake.held };
      });
      wakeFor(farm, sender);
      return { id: String(id), to: owner, waits: held ? HELD : await whyLater(farm, [owner]) };
    },

    async jobList(_, context) {
      const reader = senderOf(context);
      return { jobs: (await jobsOf(db, reader.seesAll ? undefined : reader.name, NEWEST)).map(shownJob) };
    },

    jobShow: async ({ id }, context) => shownJob(await readJob(db, id, senderOf(context))),

    async jobUpdate({ id, state, text, artifacts }, context) {
      const long = tooLongResult(text);
      if (long) throw new FurrowError('USAGE', long, { hint: 'write it to a file, and name that with --artifact PATH' });
      const speaker = senderOf(context);
      const now = clock.now();
      await commitTogether(db, async (tx) => {
        await noteRead(tx, await readJob(tx, id, speaker), speaker, now);
        const job = await readJob(tx, id, speaker);
        const said = { note: text, ...(state === 'completed' && { summary: text }), ...(artifacts && { artifacts }) };
        const event = { on: 'said', state, attempt: speaker.attempt ?? 0 } as const;
        if (!(await advanceJob(tx, job.id, event, said, now))) throw refused(job, speaker);
      });
      wakeFor(farm, speaker);
      return shownJob(await readJob(db, id, speaker));
    },

    async jobCancel({ id, reason }, context) {
      refuseEmpty(reason, 'furrow job cancel ID --reason TEXT');
      const sender = senderOf(context);
      const now = clock.now();
      const how = await commitTogether(db, async (tx) => {
        const job = await readJob(tx, id, sender);
        if (job.requester !== sender.name && sender.name !== HUMAN)
          throw new FurrowError('NOT_YOURS', `only ${job.requester}, who sent it, or a person can cancel the job j${job.id}`, {
            hint: `furrow job fail ${job.id} --reason TEXT, if it is yours to do`,
          });
        const done = await cancelJob(tx, job, sender.name, reason, now);
        if (done === 'over')
          throw new FurrowError('CLOSED', `the job j${job.id} is ${job.state} already`, { hint: `furrow job show ${job.id}` });
        return done;
      });
      wakeFor(farm, sender);
      const job = await readJob(db, id, sender);
      return { id: String(job.id), state: job.state, stopped: how === 'cancelled' };
    },
  };
}

const NEWEST = 100;

/** The job, for its sender, its owner, and callers who may see all jobs. */
async function readJob(db: Desk['farm']['db'] | Tx, id: string, reader: Talker): Promise<Job> {
  const number = numberOf(id, 'furrow job list');
  const job = await findJob(db, number);
  if (job && (reader.seesAll || job.owner === reader.name || job.requester === reader.name)) return job;
  throw new FurrowError('NO_JOB', `there is no job j${number}${reader.seesAll ? '' : ' of yours'}`, { hint: 'furrow job list' });
}

/** An agent that speaks of its job has read it, also when it saw it in a list before the message was handed to it. */
async function noteRead(tx: Tx, job: Job, speaker: Talker, now: number): Promise<void> {
  const { attempt } = speaker;
  if (!attempt || job.owner !== speaker.name) return;
  await markHanded(tx, job.id, 'inbox', attempt, now);
  await markDelivered(tx, [job.id], attempt, now);
  await noteDelivered(tx, attempt, now);
}

function refused(job: Job, speaker: Talker): FurrowError {
  if (job.ended !== null)
    return new FurrowError('CLOSED', `the job j${job.id} is ${job.state} already; this changes nothing`, {
      hint: `furrow job show ${job.id}`,
    });
  if (job.owner !== speaker.name)
    return new FurrowError('NOT_YOURS', `the job j${job.id} belongs to ${job.owner}`, {
      hint: `furrow job cancel ${job.id} --reason TEXT`,
    });
  return new FurrowError('STALE', `the job j${job.id} is not with your attempt; this changes nothing`, { hint: 'furrow inbox' });
}

function shownJob(job: Job) {
  return {
    id: String(job.id),
    from: job.requester,
    to: job.owner,
    text: job.text,
    state: job.state,
    note: job.note,
    result: job.summary,
    artifacts: JSON.parse(job.artifacts) as string[],
    cancelling: job.ended === null ? job.cancel : null,
    deadline: job.deadline === null ? null : iso(job.deadline),
    at: iso(job.at),
    changed: iso(job.changed),
    ended: job.ended === null ? null : iso(job.ended),
  };
}
