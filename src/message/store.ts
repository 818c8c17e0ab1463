import type { Selectable } from 'kysely';
import { append } from '../journal/event.ts';
import type { MessageRow } from '../journal/rows/message.ts';
import type { Db, Tx } from '../journal/store.ts';
import { redact } from '../platform/redact.ts';
import { idOf, type Letter, type Life, type MessageEvent, step, type Way } from './state.ts';

export type Message = Selectable<MessageRow>;

export interface NewMessage {
  /** An agent's name, `human` or `furrow`: what stands behind `from` before the receiver's eyes. */
  readonly sender: string;
  readonly receiver: string;
  readonly kind: Letter['kind'];
  readonly body: string;
}

export async function send(tx: Tx, message: NewMessage, now: number): Promise<number> {
  for (const name of [message.sender, message.receiver])
    if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) throw new Error(`not a name for a message: ${JSON.stringify(name)}`);
  const fresh = { state: 'pending', via: null, attempt: null, handed_at: null, ended: null, reason: null } as const;
  const { id } = await tx
    .insertInto('message')
    .values({ ...message, body: redact(message.body), ...fresh, at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  const text = `${message.sender} to ${message.receiver}: message m${id} (${message.kind}, ${Buffer.byteLength(message.body)} bytes)`;
  await append(tx, { kind: 'message.sent', agent: message.receiver, text, data: { message: id, sender: message.sender } }, now);
  return id;
}

/** Messages to these receivers that are neither delivered nor dead, in the order they were sent. */
export async function pendingFor(db: Db | Tx, agents: readonly string[]): Promise<Message[]> {
  return db.selectFrom('message').selectAll().where('ended', 'is', null).where('receiver', 'in', agents).orderBy('id').execute();
}

/** Every message that is neither delivered nor dead, in the order they were sent; without their texts. */
export async function openMessages(db: Db | Tx): Promise<Pick<Message, 'receiver' | 'sender' | 'kind'>[]> {
  return db.selectFrom('message').select(['receiver', 'sender', 'kind']).where('ended', 'is', null).orderBy('id').execute();
}

/** The newest messages to an agent, or to all of them, with their fate. */
export async function inboxOf(db: Db | Tx, agent: string | undefined, limit = 50): Promise<Message[]> {
  const all = db.selectFrom('message').selectAll().orderBy('id', 'desc').limit(limit);
  return (await (agent === undefined ? all : all.where('receiver', '=', agent)).execute()).reverse();
}

/** Committed before the text goes anywhere: after a crash it is in doubt, never handed over a second time. False: it is not waiting. */
export async function markHanded(tx: Tx, id: number, via: Way, attempt: number, now: number): Promise<boolean> {
  return change(tx, id, { on: 'handed', via, attempt }, now);
}

/**
 * Those of these, by mark or by id, that have now arrived, as ids. `attempt` is the one in whose conversation they were
 * seen, null when the agent read its inbox. What is nobody's, somebody else's or has ended is passed over.
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

/** A dead letter: its sender is told by the event. */
export async function markDead(tx: Tx, id: number, reason: string, now: number): Promise<boolean> {
  return change(tx, id, { on: 'given-up', reason }, now);
}

/** Sent = delivered + dead + pending, at any time; `handed` counts as pending. */
export async function tally(db: Db | Tx): Promise<{ sent: number; delivered: number; dead: number; pending: number }> {
  const counted = await db
    .selectFrom('message')
    .select((e) => ['state', e.fn.countAll<number>().as('count')])
    .groupBy('state')
    .orderBy('state')
    .execute();
  const of = (...states: string[]) => counted.filter((row) => states.includes(row.state)).reduce((sum, row) => sum + Number(row.count), 0);
  const [delivered, dead, pending] = [of('delivered'), of('dead'), of('pending', 'handed')];
  return { sent: delivered + dead + pending, delivered, dead, pending };
}

/** Deletes up to `most` messages that ended before a time; the newest stays, so that numbers do not begin again. Answers how many. */
export async function pruneMessages(db: Db, before: number, most: number): Promise<number> {
  const old = db
    .selectFrom('message')
    .select('id')
    .where('ended', '<', before)
    .where('id', '<', (e) => e.selectFrom('message').select((one) => one.fn.max('id').as('id')))
    .orderBy('id')
    .limit(most);
  return Number((await db.deleteFrom('message').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
}

/** One step of a message's life and its event, or nothing when the step does not apply. */
async function change(tx: Tx, id: number, event: MessageEvent, now: number): Promise<boolean> {
  const row = await tx.selectFrom('message').selectAll().where('id', '=', id).executeTakeFirst();
  const to = row && step(lifeOf(row), event);
  if (!row || !to) return false;
  await tx.updateTable('message').set(columns(to, now)).where('id', '=', id).execute();
  const attempt = to.at === 'handed' ? to.attempt : row.attempt;
  const data = { message: id, sender: row.sender, tries: to.tries };
  await append(tx, { kind: `message.${event.on}`, agent: row.receiver, attempt, text: told(row, to), data }, now);
  return true;
}

function lifeOf(row: Message): Life {
  const { tries } = row;
  const via = (row.via ?? 'inbox') as Way;
  switch (row.state) {
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
    case 'handed':
      return { ...state, via: to.via, attempt: to.attempt, handed_at: now };
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
    case 'handed':
      return `${what}: handed over by ${to.via}`;
    case 'pending':
      return `${what}: did not arrive, and waits again`;
    case 'delivered':
      return `${what}: delivered`;
    case 'dead':
      return `${what}: not delivered: ${to.reason}`;
  }
}
