import { sql } from 'kysely';
import { append } from '../../journal/event.ts';
import type { MessageKind } from '../../journal/rows/message.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { redact } from '../../platform/redact.ts';
import { beginning } from '../../platform/visible.ts';
import { isFar } from './address.ts';
import { type AskEvent, stepAsk } from './ask.ts';
import { findMessage, type Message, sentAs, threadOf } from './read.ts';
import { idOf, type Life, type MessageEvent, step, type Way } from './state.ts';
import { FURROW } from './text.ts';

export interface NewMessage {
  /** An agent's name, `human` or `furrow`: what stands behind `from` before the receiver's eyes. */
  readonly sender: string;
  readonly receiver: string;
  readonly kind: MessageKind;
  readonly body: string;
  /** Id of the first message of the conversation; left out: it is the first. */
  readonly thread?: number | null;
  readonly answers?: number;
  readonly hops?: number;
  /** Id of the attempt that sends it. */
  readonly askedBy?: number | null;
  readonly addressed?: string | null;
  /** The same key, sender and receiver again is the same message again. */
  readonly key?: string | null;
  readonly deadline?: number | null;
  /** Of what an agent sends on its own: a hash of its body. */
  readonly words?: string | null;
  /** It waits for a person's yes. */
  readonly held?: boolean;
  /** It crosses between two farms, which know it by this key. */
  readonly far?: string | null;
}

/** Of an agent of another farm: `repo:agent`. */
const NAME = /^([a-z0-9][a-z0-9-]{0,39}:)?[a-z0-9][a-z0-9-]{0,39}$/;

/** Stores a message and answers its id. A question is open from then on. */
export async function send(tx: Tx, message: NewMessage, now: number): Promise<number> {
  const { sender, receiver, kind, thread = null, answers = null, askedBy = null, addressed = null, key = null, deadline = null } = message;
  for (const name of [sender, receiver])
    if (!NAME.test(name) || (name === receiver && isFar(name) && !message.far))
      throw new Error(`not a name for a message: ${JSON.stringify(name)}`);
  const before = key === null ? undefined : await sentAs(tx, sender, receiver, key);
  if (before !== undefined) return before;
  const { words = null, held = false, far = null } = message;
  const [body, ask, state] = [redact(message.body), kind === 'ask' ? 'open' : null, held ? 'held' : 'pending'];
  // As plain SQL, like an event: every message of many agents that talk at once passes here.
  const { rows } = await sql<{ id: number }>`insert into "message"
    ("sender", "receiver", "kind", "body", "state", "at", "thread", "answers", "hops", "asked_by", "addressed", "send_key", "ask", "deadline", "words", "far")
    values (${sender}, ${receiver}, ${kind}, ${body}, ${state}, ${now}, ${thread}, ${answers}, ${message.hops ?? 0}, ${askedBy},
      ${addressed}, ${key}, ${ask}, ${deadline}, ${words}, ${far}) returning "id"`.execute(tx);
  const { id } = rows[0]!;
  const text = `${sender} to ${receiver}: message m${id} (${kind}, ${Buffer.byteLength(message.body)} bytes)`;
  await append(tx, { kind: 'message.sent', agent: hereOf(message), text, data: { message: id, sender } }, now);
  return id;
}

/** Committed before the text goes anywhere: after a crash it is in doubt, never handed over a second time. False: it is not waiting. */
export async function markHanded(tx: Tx, id: number, via: Way, attempt: number, now: number): Promise<boolean> {
  return change(tx, id, { on: 'handed', via, attempt }, now);
}

/**
 * Those of these, by stamp or by id, that have now arrived, as ids. `attempt` is the one in whose conversation they were
 * seen, null when the agent read its inbox. Messages that do not exist, belong to another agent or have ended are skipped.
 */
export async function markDelivered(tx: Tx, which: readonly (string | number)[], attempt: number | null, now: number): Promise<number[]> {
  const ids = which.map((one) => (typeof one === 'number' ? one : idOf(one))).filter(Number.isSafeInteger);
  if (ids.length === 0) return [];
  const speaker =
    attempt === null ? undefined : await tx.selectFrom('attempt').select('agent').where('id', '=', attempt).executeTakeFirst();
  const rows = await tx.selectFrom('message').select(['id', 'receiver']).where('id', 'in', ids).orderBy('id').execute();
  const done: number[] = [];
  for (const { id, receiver } of rows)
    if ((attempt === null || speaker?.agent === receiver) && (await change(tx, id, { on: 'seen', by: attempt }, now))) done.push(id);
  return done;
}

export async function markReturned(tx: Tx, id: number, which: number, now: number): Promise<boolean> {
  return change(tx, id, { on: 'returned', try: which }, now);
}

/** Another farm has taken it; with `ends` nothing more comes back. */
export async function markCrossed(tx: Tx, id: number, ends: boolean, now: number): Promise<boolean> {
  return change(tx, id, { on: 'crossed', ends }, now);
}

/** A person lets a held message go. */
export async function markReleased(tx: Tx, id: number, now: number): Promise<boolean> {
  return change(tx, id, { on: 'released' }, now);
}

/** A dead letter: its sender is told by the event; whoever asked a question, by a message. */
export async function markDead(tx: Tx, id: number, reason: string, now: number): Promise<boolean> {
  return change(tx, id, { on: 'given-up', reason }, now);
}

/** Deletes up to `most` messages that ended before a time; the newest stays, so that numbers do not begin again. Answers how many. */
export async function pruneMessages(db: Db | Tx, before: number, most: number): Promise<number> {
  const old = db
    .selectFrom('message')
    .select('id')
    .where('ended', '<', before)
    .where((e) => e.or([e('ask', 'is', null), e('ask', '!=', 'open')]))
    .where('id', '<', (e) => e.selectFrom('message').select((one) => one.fn.max('id').as('id')))
    .orderBy('id')
    .limit(most);
  return Number((await db.deleteFrom('message').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
}

/** One step of a message's life and its event, or nothing when the step does not apply. */
async function change(tx: Tx, id: number, event: MessageEvent, now: number): Promise<boolean> {
  const row = await findMessage(tx, id);
  const to = row && step(lifeOf(row), event);
  if (!row || !to) return false;
  await tx.updateTable('message').set(columns(to, now)).where('id', '=', id).execute();
  const attempt = to.at === 'handed' ? to.attempt || null : row.attempt;
  const data = { message: id, sender: row.sender, tries: to.tries };
  await append(tx, { kind: `message.${event.on}`, agent: hereOf(row), attempt, text: told(row, to), data }, now);
  if (to.at === 'dead') await closeAsk(tx, row, { on: 'dead' }, to.reason, now);
  return true;
}

/**
 * Ends an open question, once. Whoever asked and still waits is told why there is no answer; one that has not reached its receiver
 * becomes a dead letter. False: it was closed before.
 */
export async function endAsk(tx: Tx, id: number, event: AskEvent, reason: string, now: number): Promise<boolean> {
  const row = await findMessage(tx, id);
  if (!row || !(await closeAsk(tx, row, event, reason, now))) return false;
  await dropPending(tx, id, reason, now);
  return true;
}

/** Makes a dead letter of a message that nobody has got yet. One in doubt is left to those who look for it. */
export async function dropPending(tx: Tx, id: number, reason: string, now: number): Promise<void> {
  const row = await tx.selectFrom('message').select('state').where('id', '=', id).executeTakeFirst();
  if (row?.state === 'pending' || row?.state === 'held') await change(tx, id, { on: 'given-up', reason }, now);
}

/** The words of a question that its asker is reminded of. */
const ASKED = 200;

async function closeAsk(tx: Tx, row: Message, event: AskEvent, reason: string, now: number): Promise<boolean> {
  const ask = stepAsk(row.ask, event);
  if (!ask) return false;
  await tx.updateTable('message').set({ ask, closed: now }).where('id', '=', row.id).execute();
  const text = `question m${row.id} of ${row.sender} to ${row.receiver}: ${ask}${reason ? `: ${reason}` : ''}`;
  await append(tx, { kind: 'message.closed', agent: hereOf(row), attempt: row.attempt, text, data: { message: row.id, ask } }, now);
  if (ask === 'answered' || ask === 'declined' || ask === 'withdrawn' || row.sender === FURROW) return true;
  // Its farm tells the asker, by its own words.
  if (isFar(row.sender)) return (await send(tx, { ...back(row), sender: FURROW, body: reason }, now)) > 0;
  const body = `Your question m${row.id} to ${row.receiver} got no answer: ${reason}. You had asked: ${beginning(row.body, ASKED, `furrow messages --thread ${threadOf(row)}`)}`;
  await send(tx, { sender: FURROW, receiver: row.sender, kind: 'notify', body, thread: threadOf(row) }, now);
  return true;
}

/** The receiver of the answer to a message, and the message that it answers. */
export function back(row: Message) {
  const far = isFar(row.sender) && row.far !== null ? `answer ${row.far}` : null;
  return { receiver: row.sender, kind: 'reply', thread: threadOf(row), answers: row.id, far } as const;
}

/** The one of the two whom this farm has, for the events. */
const hereOf = ({ sender, receiver }: { readonly sender: string; readonly receiver: string }) => (isFar(receiver) ? sender : receiver);

/** Counts a reminder of open questions at the end of a turn of their receiver. */
export async function noteReminded(tx: Tx, ids: readonly number[], now: number): Promise<void> {
  for (const id of ids) {
    const row = await tx.selectFrom('message').select(['receiver', 'attempt', 'reminded', 'ask']).where('id', '=', id).executeTakeFirst();
    if (row?.ask !== 'open') continue;
    const reminded = row.reminded + 1;
    await tx.updateTable('message').set({ reminded }).where('id', '=', id).execute();
    const text = `${row.receiver} is reminded of the question m${id} (${reminded})`;
    await append(tx, { kind: 'message.reminded', agent: row.receiver, attempt: row.attempt, text, data: { message: id } }, now);
  }
}

function lifeOf(row: Message): Life {
  const { tries } = row;
  const via = (row.via ?? 'inbox') as Way;
  switch (row.state) {
    case 'held':
      return { at: 'held', tries };
    case 'pending':
      return { at: 'pending', tries };
    case 'handed':
      return { at: 'handed', tries, via, attempt: row.attempt ?? 0 };
    case 'delivered':
      return { at: 'delivered', tries, via };
    case 'dead':
      return { at: 'dead', tries, reason: row.reason ?? '' };
    default:
      return row.state satisfies never;
  }
}

function columns(to: Life, now: number) {
  const state = { state: to.at, tries: to.tries };
  switch (to.at) {
    case 'held':
      return state;
    case 'handed':
      return { ...state, via: to.via, attempt: to.attempt || null, handed_at: now };
    case 'pending':
      // `handed_at` stays: the rest before the next try is counted from it.
      return { ...state, via: null, attempt: null };
    case 'delivered':
      return { ...state, via: to.via, ended: now };
    case 'dead':
      return { ...state, ended: now, reason: to.reason };
  }
}

function told(row: Message, to: Life): string {
  const what = `message m${row.id} from ${row.sender} to ${row.receiver}`;
  switch (to.at) {
    case 'held':
      return `${what}: held for a person`;
    case 'handed':
      return `${what}: handed over by ${to.via}`;
    case 'pending':
      return to.tries === 0 ? `${what}: released by a person` : `${what}: did not arrive, and waits again`;
    case 'delivered':
      return `${what}: delivered`;
    case 'dead':
      return `${what}: not delivered: ${to.reason}`;
  }
}
