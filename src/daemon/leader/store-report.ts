import { send } from '../../agents/message/store.ts';
import { append } from '../../journal/event.ts';
import { type Db, writeMeta } from '../../journal/store.ts';
import { reshaAttempts } from '../../work/attempt/store.ts';
import { reshaEntries } from '../../work/entry/store.ts';
import { closeQuestions, raiseQuestion } from '../../work/question/store.ts';
import type { Report } from '../farm/report.ts';
import { noteTornHead } from '../farm/torn-head.ts';

interface Stored {
  readonly db: Db;
  readonly clock: { now(): number };
}

/** The conflicts that agents were told of: once for each pair and set of paths, also across restarts. */
export const CONFLICTS_TOLD = 'radar.told';

/** Stores what a host reports. */
export async function storeReport({ db, clock }: Stored, report: Report): Promise<void> {
  const { events = [], questions = [], closed = [], notes = [], rewritten = [], tornHeads = [], conflictsTold } = report;
  const lists = [events, questions, closed, notes, rewritten, tornHeads];
  if (lists.every((list) => list.length === 0) && conflictsTold === undefined) return;
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    for (const { from, to } of rewritten) {
      await reshaEntries(tx, from, to);
      await reshaAttempts(tx, from, to);
    }
    for (const { target, head } of tornHeads) await noteTornHead(tx, target, head);
    for (const event of events) await append(tx, event, now);
    for (const question of questions) await raiseQuestion(tx, question, now);
    for (const { kind, subject, answer } of closed) await closeQuestions(tx, kind, subject, answer, now);
    for (const { to, body } of notes) await send(tx, { sender: 'furrow', receiver: to, kind: 'notify', body }, now);
    if (conflictsTold !== undefined) await writeMeta(tx, CONFLICTS_TOLD, conflictsTold);
  });
}
