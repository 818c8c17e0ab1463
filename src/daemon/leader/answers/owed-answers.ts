import { isOwed, MAX_REMINDERS as JOB_REMINDERS } from '../../../agents/job/plan.ts';
import { advanceJob, type Job, jobsWith, noteDelivered } from '../../../agents/job/store.ts';
import { asksTo } from '../../../agents/message/read.ts';
import { MAX_REMINDERS } from '../../../agents/supervision/turn-end.ts';
import { beginning } from '../../../platform/visible.ts';
import type { Farm } from '../../farm/farm.ts';
import type { OwedAnswer } from '../../farm/leader-answers.ts';

/** Of a question or a job in a reminder. */
const SHOWN = 200;

/** See `TurnAnswers`. */
export async function owedAnswers(
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
