import { writeUsage } from '../../agents/agent/usage.ts';
import { noteJobReminded } from '../../agents/job/store.ts';
import { noteReminded, send } from '../../agents/message/store.ts';
import { noteServed } from '../../agents/supervision/provider/store.ts';
import { writeSupervision } from '../../agents/supervision/store.ts';
import { append } from '../../journal/event.ts';
import { type Db, readMeta, type Tx, writeMeta } from '../../journal/store.ts';
import { readAttempt, reshaAttempts } from '../../work/attempt/store.ts';
import { reshaEntries } from '../../work/entry/store.ts';
import { closeQuestion, closeQuestions, raiseQuestion } from '../../work/question/store.ts';
import type { Report } from '../farm/report.ts';

interface Stored {
  readonly db: Db;
  readonly clock: { now(): number };
}

/** The conflicts that agents were told of: once for each pair and set of paths, also across restarts. */
export const CONFLICTS_TOLD = 'radar.told';

/** Stores what a host reports, all of it or nothing. False: it is about a process that was started again since. */
export async function storeReport({ db, clock }: Stored, report: Report): Promise<boolean> {
  if (isEmpty(report)) return true;
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    for (const { attempt, launch } of report.supervised ?? []) if ((await readAttempt(tx, attempt)).launch !== launch) return false;
    await storeWork(tx, report);
    await storeAgents(tx, report, now);
    for (const event of report.events ?? []) await append(tx, event, now);
    for (const question of report.questions ?? []) await raiseQuestion(tx, question, now);
    for (const { kind, subject, answer } of report.closed ?? []) await closeQuestions(tx, kind, subject, answer, now);
    for (const { to, body } of report.notes ?? []) await send(tx, { sender: 'furrow', receiver: to, kind: 'notify', body }, now);
    return true;
  });
}

const isEmpty = (report: Report): boolean =>
  Object.values(report).every((part) => part === undefined || (Array.isArray(part) && part.length === 0));

async function storeWork(tx: Tx, { rewritten = [], tornHeads = [], conflictsTold }: Report): Promise<void> {
  for (const { from, to } of rewritten) {
    await reshaEntries(tx, from, to);
    await reshaAttempts(tx, from, to);
  }
  for (const { target, head } of tornHeads) await noteTornHead(tx, target, head);
  if (conflictsTold !== undefined) await writeMeta(tx, CONFLICTS_TOLD, conflictsTold);
}

async function storeAgents(
  tx: Tx,
  { supervised = [], served = [], usage = [], answered = [], reminded }: Report,
  now: number,
): Promise<void> {
  for (const { attempt, record } of supervised) await writeSupervision(tx, attempt, record, now);
  for (const { provider, agent } of served) await noteServed(tx, provider, agent, now);
  for (const one of usage) await writeUsage(tx, one, now);
  for (const { question, answer, agent, attempt } of answered) await closeQuestion(tx, question, answer, now, { agent, attempt });
  if (!reminded) return;
  await noteReminded(tx, reminded.asks, now);
  await noteJobReminded(tx, reminded.jobs, now);
}

const tornKey = (target: string) => `head.torn.${target}`;

/** Notes that the head of a target is there but something behind it is missing. The next look at the target decides what follows. */
const noteTornHead = (tx: Tx, target: string, head: string): Promise<void> => writeMeta(tx, tornKey(target), head);

/** The head that was found so; `undefined` when there is none, or the target has left it. */
export const tornHead = async (db: Db | Tx, target: string): Promise<string | undefined> =>
  (await readMeta(db, tornKey(target))) || undefined;

export const forgetTornHead = (tx: Tx, target: string): Promise<void> => writeMeta(tx, tornKey(target), '');
