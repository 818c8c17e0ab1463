import { overBudget } from '../../../agents/agent/budget.ts';
import type { Policy } from '../../../agents/agent/permission/policy.ts';
import { findAgent } from '../../../agents/agent/store.ts';
import { isOwed, MAX_REMINDERS as JOB_REMINDERS } from '../../../agents/job/plan.ts';
import { advanceJob, type Job, jobsBy, jobsWith, noteDelivered } from '../../../agents/job/store.ts';
import { openLeases } from '../../../agents/lease/store.ts';
import { asksBy, asksTo } from '../../../agents/message/read.ts';
import { noteRefusal } from '../../../agents/supervision/provider/store.ts';
import { MAX_REMINDERS } from '../../../agents/supervision/turn-end.ts';
import type { Db } from '../../../journal/store.ts';
import { beginning } from '../../../platform/visible.ts';
import { readAttempt } from '../../../work/attempt/store.ts';
import { endsByAnswer } from '../../../work/errand/purpose.ts';
import { openQuestions } from '../../../work/question/store.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import { findTaskRow, readTask } from '../../../work/task/store.ts';
import { allowance, spent } from '../../farm/cost.ts';
import type { Farm } from '../../farm/farm.ts';
import type { OwedAnswer, TurnAnswers } from '../../farm/leader-answers.ts';

export const turnAnswers = (farm: Pick<Farm, 'db' | 'clock' | 'config'>): TurnAnswers => ({
  async policy({ attempt, task }) {
    const row = await findTaskRow(farm.db, task);
    return {
      answers: row !== undefined && endsByAnswer(row.purpose),
      check: row?.check ?? null,
      own: JSON.parse(row?.paths ?? '[]') as string[],
      leases: await otherPaths(farm.db, attempt),
    };
  },

  async facts({ attempt, agent, task }) {
    const { branch, base, target, said } = await readAttempt(farm.db, attempt);
    const row = await readTask(farm.db, task);
    const asks = await openQuestions(farm.db, { kinds: ['ask'], agent });
    return {
      ...{ branch, base, target, said },
      answers: endsByAnswer(row.purpose),
      from: reworkOf(row)?.from ?? null,
      paused: (await findAgent(farm.db, agent))?.paused === 1,
      openAsks: asks.length + (await asksBy(farm.db, attempt)),
      awaited: (await jobsBy(farm.db, attempt)) + (await leasesAwaited(farm.db, attempt)),
    };
  },

  async overspent(task) {
    const { usd, task: own } = await spent(farm, task);
    return overBudget(farm.config.budget, { run: usd, task: own }, await allowance(farm.db, task))?.reason ?? null;
  },

  owed: (of) => owedAnswers(farm, of),
  refused: (refusal) => farm.db.transaction().execute((tx) => noteRefusal(tx, refusal, farm.clock.now())),
});

const leasesAwaited = async (db: Db, attempt: number): Promise<number> =>
  (await openLeases(db)).filter((lease) => lease.standing === 'waiting' && lease.attempt === attempt).length;

/** The paths that nobody but another holder may change now. */
async function otherPaths(db: Db, attempt: number): Promise<Policy['leases']> {
  const held = (await openLeases(db)).filter(
    (lease) => lease.kind === 'path' && lease.standing === 'held' && lease.mode === 'exclusive' && lease.attempt !== attempt,
  );
  return held.flatMap(({ who, names, until, reason, origin }) =>
    names.map((pattern) => ({ holder: who, pattern, until, reason, reserved: origin === 'reserved' })),
  );
}

/** Of a question or a job in a reminder. */
const SHOWN = 200;

/** See `TurnAnswers`. */
async function owedAnswers(
  { db, clock }: Pick<Farm, 'db' | 'clock'>,
  { agent, attempt }: { readonly agent: string; readonly attempt: number },
): Promise<OwedAnswer[]> {
  await db.transaction().execute((tx) => noteDelivered(tx, attempt, clock.now()));
  const asks = (await asksTo(db, agent, attempt)).filter((one) => one.reminded < MAX_REMINDERS);
  const jobs = (await jobsWith(db, attempt)).filter((one) => isOwed(one.state));
  const forgotten = jobs.filter((one) => one.reminded >= JOB_REMINDERS);
  const note = `${agent} ended its turn without a result, ${JOB_REMINDERS + 1} times`;
  for (const job of forgotten)
    await db.transaction().execute((tx) => advanceJob(tx, job.id, { on: 'ended', state: 'failed' }, { note }, clock.now()));
  return [
    ...asks.map(({ id, sender, body }) => ({ kind: 'ask', id, text: askText(id, sender, body) }) as const),
    ...jobs.filter((one) => !forgotten.includes(one)).map((job) => ({ kind: 'job', id: job.id, text: jobText(job) }) as const),
  ];
}

/** The words of others stand in quotation marks on one line: they are what was asked, and not what is to be done. A mark in them proves nothing. */
function said(text: string, id: number): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('[furrow', '(furrow').trim();
  return JSON.stringify(beginning(line, SHOWN, `furrow messages --thread ${id}`));
}

const askText = (id: number, sender: string, body: string) =>
  `${sender} asked you m${id} ${said(body, id)}; answer with: furrow reply ${id} TEXT, or decline with: furrow reply ${id} --decline REASON`;

const jobText = ({ id, requester, text, cancel }: Job) =>
  cancel === null
    ? `${requester} waits for the job j${id} ${said(text, id)}; end it with: furrow job done ${id} --result TEXT, or: furrow job fail ${id} --reason TEXT`
    : `the job j${id} is not wanted any more; say that you stopped with: furrow job update ${id} --state cancelled --text TEXT`;
