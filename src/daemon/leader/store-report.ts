import { send } from '../../agents/message/store.ts';
import { append } from '../../journal/event.ts';
import type { Db } from '../../journal/store.ts';
import { closeQuestions, raiseQuestion } from '../../work/question/store.ts';
import type { Report } from '../farm/report.ts';

interface Stored {
  readonly db: Db;
  readonly clock: { now(): number };
}

/** Stores what a host reports. */
export async function storeReport({ db, clock }: Stored, report: Report): Promise<void> {
  const { events = [], questions = [], closed = [], notes = [] } = report;
  if (events.length + questions.length + closed.length + notes.length === 0) return;
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    for (const event of events) await append(tx, event, now);
    for (const question of questions) await raiseQuestion(tx, question, now);
    for (const { kind, subject, answer } of closed) await closeQuestions(tx, kind, subject, answer, now);
    for (const { to, body } of notes) await send(tx, { sender: 'furrow', receiver: to, kind: 'notify', body }, now);
  });
}
