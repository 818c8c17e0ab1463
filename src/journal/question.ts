import { append } from './event.ts';
import type { Tx } from './store.ts';

/** Opens a question for the human, once: an open one of the same kind about the same subject gets the new reason. True: it is new. */
export async function raise(
  tx: Tx,
  { task, ...question }: { kind: string; subject: string; reason: string; agent?: string; data?: string; task?: string | null },
  now: number,
): Promise<boolean> {
  const open = await tx
    .updateTable('question')
    .set({ reason: question.reason, ...(question.data !== undefined && { data: question.data }) })
    .where('kind', '=', question.kind)
    .where('subject', '=', question.subject)
    .where('closed', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (open) return false;
  await tx
    .insertInto('question')
    .values({ ...question, since: now, closed: null, answer: null })
    .execute();
  await append(
    tx,
    {
      kind: 'question.opened',
      agent: question.agent ?? null,
      task: task === undefined ? taskOf(question.subject) : task,
      text: `needs you: ${question.reason}`,
      data: { kind: question.kind, subject: question.subject },
    },
    now,
  );
  return true;
}

/** The task that a subject is; the key of an act has a colon and is none. */
const taskOf = (subject: string) => (subject.includes('/') && !subject.includes(':') ? subject : null);

/** Closes what is open about a subject: the reason for asking has gone. */
export async function settle(tx: Tx, kind: string, subject: string, answer: string, now: number): Promise<void> {
  const closed = await tx
    .updateTable('question')
    .set({ closed: now, answer })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('closed', 'is', null)
    .returning('id')
    .execute();
  const task = taskOf(subject);
  for (const { id } of closed)
    await append(tx, { kind: 'question.closed', task, text: `no longer needs you: ${answer}`, data: { kind, subject, question: id } }, now);
}

/** Closes whatever was asked about a task. */
export async function settleTask(tx: Tx, ref: string, answer: string, now: number): Promise<void> {
  for (const kind of ['parked', 'blocked', 'survivors', 'budget', 'removed']) await settle(tx, kind, ref, answer, now);
}

/** Closes what an agent waits for, all of it or of these kinds: nobody is there any more to hear the answer. */
export async function settleAgent(tx: Tx, agent: string, answer: string, now: number, kinds?: readonly string[]): Promise<void> {
  const open = await tx.selectFrom('question').select(['kind', 'subject']).where('agent', '=', agent).where('closed', 'is', null).execute();
  for (const { kind, subject } of open) if (kinds === undefined || kinds.includes(kind)) await settle(tx, kind, subject, answer, now);
}
