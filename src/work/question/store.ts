import type { Selectable } from 'kysely';
import { append } from '../../journal/event.ts';
import { keptRows } from '../../journal/kept-rows.ts';
import type { QuestionRow } from '../../journal/schema.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { redact, redactJsonText } from '../../platform/redact.ts';
import { beginning, visible } from '../../platform/visible.ts';
import type { QuestionKind } from './kind.ts';
import { type QuestionEvent, step } from './state.ts';

export type Question = Omit<Selectable<QuestionRow>, 'kind'> & { readonly kind: QuestionKind };

export interface NewQuestion {
  readonly kind: QuestionKind;
  readonly subject: string;
  readonly reason: string;
  readonly agent?: string;
  readonly data?: string;
  /** Ref of the task that its event names; left out: the subject, where that is a task. */
  readonly task?: string | null;
}

/** Opens a question, once: an open one of the same kind and subject only gets the new reason. True: it is new. */
export async function raiseQuestion(tx: Tx, { task, ...given }: NewQuestion, now: number): Promise<boolean> {
  const question = forPeople(given);
  const { kind, subject, reason, data } = question;
  const [open] = await openQuestions(tx, { kinds: [kind], subject });
  if (open) {
    await advance(tx, open.id, { on: 'raised', reason }, data === undefined ? {} : { data });
    return false;
  }
  const { id } = await tx
    .insertInto('question')
    .values({ ...question, since: now, closed: null, answer: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  const about = task === undefined ? taskOf(subject) : task;
  const event = { kind: 'question.opened', agent: question.agent ?? null, task: about, data: { kind, subject } } as const;
  await append(tx, { ...event, text: `needs you: ${inEvent(reason, id)}` }, now);
  return true;
}

/** A question of a running agent: a new one each time, with a command that answers it. */
export interface AgentAsks extends Pick<Question, 'kind' | 'reason' | 'data' | 'expires'> {
  readonly agent: string;
  /** Ref of its task. */
  readonly task: string;
  /** Which attempt at the task. */
  readonly attempt: number;
  /** The words that `furrow answer ID` takes. */
  readonly answers: string;
  /** More data of the event. */
  readonly told?: Readonly<Record<string, unknown>>;
}

export async function askPerson(tx: Tx, { answers, told, task, attempt, ...given }: AgentAsks, now: number): Promise<number> {
  const asked = forPeople(given);
  const { id } = await tx
    .insertInto('question')
    .values({ ...asked, subject: task, since: now, closed: null, answer: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { agent, kind, reason } = asked;
  const text = `needs you: ${inEvent(reason, id)}; furrow answer ${id} ${answers}`;
  await append(tx, { kind: 'question.opened', agent, task, attempt, text, data: { kind, question: id, ...told } }, now);
  return id;
}

/** A reason in its stored form. Compare this form with the store: otherwise a key or a tab in it would be news at every look. */
export const asStored = (reason: string): string => visible(redact(reason));

/**
 * A question is shown on screens and stored: so it loses keys from a command line or an agent's words, and nothing in its reason can hide
 * from the person who answers.
 */
function forPeople<Q extends { readonly reason: string; readonly data?: string | null }>(question: Q): Q {
  const { reason, data } = question;
  return { ...question, reason: asStored(reason), ...(data && { data: redactJsonText(data) }) };
}

/** Of a longer text an event has only the beginning. */
const IN_EVENT = 600;
const inEvent = (reason: string, id: number) => beginning(reason, IN_EVENT, `furrow next ${id} --full`);

/** The task that a subject names; the key of an act has a colon, and names none. */
const taskOf = (subject: string) => (subject.includes('/') && !subject.includes(':') ? subject : null);

/** Moves a question by one event. `false` means that it is closed already; then nothing changes. */
async function advance(tx: Tx, id: number, event: QuestionEvent, also: { readonly data?: string } = {}): Promise<boolean> {
  const row = await tx.selectFrom('question').select(['reason', 'closed', 'answer']).where('id', '=', id).executeTakeFirst();
  const next = row && step(row, event);
  if (!next) return false;
  await tx
    .updateTable('question')
    .set({ ...also, ...next })
    .where('id', '=', id)
    .execute();
  return true;
}

/** Stores the answer of a person. `false`: it was closed before. */
export async function answerQuestion(tx: Tx, { id, subject, agent }: Question, answer: string, now: number): Promise<boolean> {
  if (!(await advance(tx, id, { on: 'answered', answer: redact(answer), at: now }))) return false;
  await append(
    tx,
    { kind: 'question.answered', agent, task: taskOf(subject), text: `you answered: ${answer}`, data: { question: id } },
    now,
  );
  return true;
}

/** Closes one question: its reason no longer exists, or it was answered elsewhere. `told`: names for the event beside its task. */
export async function closeQuestion(
  tx: Tx,
  { id, kind, subject }: Pick<Question, 'id' | 'kind' | 'subject'>,
  answer: string,
  now: number,
  told: { readonly agent?: string; readonly attempt?: number } = {},
): Promise<void> {
  if (!(await advance(tx, id, { on: 'withdrawn', answer: redact(answer), at: now }))) return;
  const event = { kind: 'question.closed', task: taskOf(subject), ...told, data: { kind, subject, question: id } } as const;
  const about = event.task === null && !subject.includes(':') ? `${subject} no` : 'no';
  await append(tx, { ...event, text: `${about} longer needs you: ${answer}` }, now);
}

/** Closes all that is open of a kind about a subject. */
export async function closeQuestions(tx: Tx, kind: QuestionKind, subject: string, answer: string, now: number): Promise<void> {
  for (const question of await openQuestions(tx, { kinds: [kind], subject })) await closeQuestion(tx, question, answer, now);
}

const OF_TASK: readonly QuestionKind[] = ['parked', 'blocked', 'unlanded', 'survivors', 'budget', 'removed'];

/** Closes whatever was asked about a task. */
export async function closeTaskQuestions(tx: Tx, ref: string, answer: string, now: number): Promise<void> {
  const open = await openQuestions(tx, { kinds: OF_TASK, subject: ref });
  for (const question of open) await closeQuestion(tx, question, answer, now);
}

/** Closes what an agent asked, all or these kinds: the agent is no longer there to hear the answer. */
export async function closeAgentQuestions(
  tx: Tx,
  agent: string,
  answer: string,
  now: number,
  kinds?: readonly QuestionKind[],
): Promise<void> {
  const open = await openQuestions(tx, kinds === undefined ? { agent } : { agent, kinds });
  for (const question of open) await closeQuestion(tx, question, answer, now);
}

interface Which {
  readonly kinds?: readonly QuestionKind[];
  readonly subject?: string;
  readonly agent?: string;
}

const allOpen = keptRows<Question>('question');
const unanswered = statement((db) =>
  db.selectFrom('question').selectAll().where('closed', 'is', null).orderBy('since').orderBy('id').compile(),
);

/** Questions that wait for a person, the oldest first. */
export async function openQuestions(db: Db | Tx, { kinds, subject, agent }: Which = {}): Promise<Question[]> {
  const rows = await allOpen(db, async () => (await unanswered(db, {})).rows as Question[]);
  return rows.filter(
    (row) =>
      (kinds === undefined || kinds.includes(row.kind)) &&
      (subject === undefined || row.subject === subject) &&
      (agent === undefined || row.agent === agent),
  );
}

/** The open question of that number; `undefined`: there is none, or it is closed. */
export async function findOpenQuestion(db: Db | Tx, id: number): Promise<Question | undefined> {
  const row = await db.selectFrom('question').selectAll().where('id', '=', id).where('closed', 'is', null).executeTakeFirst();
  return row as Question | undefined;
}

/** Deletes up to `most` questions that were closed before a time. Answers how many it deleted. */
export async function pruneQuestions(db: Db | Tx, before: number, most: number): Promise<number> {
  const old = db.selectFrom('question').select('id').where('closed', '<', before).orderBy('id').limit(most);
  return Number((await db.deleteFrom('question').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
}
