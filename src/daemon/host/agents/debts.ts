import { isOwed, MAX_REMINDERS as JOB_REMINDERS } from '../../../agents/job/plan.ts';
import { advanceJob, type Job, jobsWith, noteDelivered, noteJobReminded } from '../../../agents/job/store.ts';
import { asksTo } from '../../../agents/message/read.ts';
import { noteReminded } from '../../../agents/message/store.ts';
import { MAX_REMINDERS } from '../../../agents/supervision/turn-end.ts';
import { beginning } from '../../../platform/visible.ts';
import type { Host } from '../host.ts';
import type { RunningAttempt } from './running.ts';

/** An answer or a result that others wait for from a running agent. */
export interface Debt {
  readonly kind: 'ask' | 'job';
  readonly id: number;
  readonly text: string;
}

/** Of a question or a job in a reminder. */
const SHOWN = 200;

/**
 * The answers and results that an attempt owes at the end of its turn, as far as it can still be reminded of them. A job that it was reminded of often enough fails
 * here, so that none is forgotten; a question goes back when the attempt ends.
 */
export async function debtsOf(farm: Host, { agent, attempt }: RunningAttempt): Promise<Debt[]> {
  const { db, clock } = farm;
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

/** Counts a reminder of each. */
export async function noteDebts(farm: Host, debts: readonly Debt[]): Promise<void> {
  const ids = (kind: Debt['kind']) => debts.flatMap((one) => (one.kind === kind ? [one.id] : []));
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    await noteReminded(tx, ids('ask'), now);
    await noteJobReminded(tx, ids('job'), now);
  });
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
