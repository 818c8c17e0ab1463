import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { keptRows } from '../../journal/kept-rows.ts';
import type { MessageRow } from '../../journal/rows/message.ts';
import type { Schema } from '../../journal/schema.ts';
import type { Db, Tx } from '../../journal/store.ts';
import type { OpenAsk } from './ask.ts';
import { HUMAN } from './text.ts';

export type Message = Selectable<MessageRow>;

/** Messages to these receivers that are neither delivered nor dead, in the order they were sent. */
export async function pendingFor(db: Db | Tx, agents: readonly string[]): Promise<Message[]> {
  return db
    .selectFrom('message')
    .selectAll()
    .where('ended', 'is', null)
    .where('state', '!=', 'held')
    .where('receiver', 'in', agents)
    .orderBy('id')
    .execute();
}

/** The first of those to one receiver. */
export async function firstFor(db: Db | Tx, receiver: string, limit: number): Promise<Message[]> {
  return db
    .selectFrom('message')
    .selectAll()
    .where('ended', 'is', null)
    .where('state', '!=', 'held')
    .where('receiver', '=', receiver)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Of another farm: `repo:agent`. */
const FAR = '%:%';

const onWay = keptRows<Message>('message');

/** Messages to agents of other farms that have not ended, in the order they were sent; those to one farm, when it is named. */
export async function onTheirWay(db: Db | Tx, farm?: string): Promise<Message[]> {
  const receiver = farm === undefined ? FAR : `${farm}:%`;
  const read = () =>
    // By `far` an index has them.
    db
      .selectFrom('message')
      .selectAll()
      .where('far', 'is not', null)
      .where('ended', 'is', null)
      .where('state', '!=', 'held')
      .where('receiver', 'like', receiver)
      .orderBy('id')
      .execute();
  return onWay(db, read, receiver);
}

/** The question that both farms know by this key: as it was asked here, or as it came from there. */
export async function farAsk(db: Db | Tx, key: string, side: 'asked here' | 'came here'): Promise<Message | undefined> {
  const own = db.selectFrom('message').selectAll().where('far', '=', key).where('kind', '=', 'ask');
  return own.where(side === 'asked here' ? 'receiver' : 'sender', 'like', FAR).executeTakeFirst();
}

const firsts = keptRows<Message>('message');

/** The first message to each agent, or to each of these, that is neither delivered nor dead: the later ones wait for its fate. */
export async function firstOpen(db: Db | Tx, agents?: readonly string[]): Promise<Message[]> {
  const first = db
    .selectFrom('message')
    .select((e) => e.fn.min('id').as('id'))
    .where('ended', 'is', null)
    .where('state', '!=', 'held')
    .where('receiver', '!=', HUMAN)
    .where('receiver', 'not like', FAR)
    .$if(agents !== undefined, (q) => q.where('receiver', 'in', agents!))
    .groupBy('receiver');
  const read = () => db.selectFrom('message').selectAll().where('id', 'in', first).orderBy('id').execute();
  return firsts(db, read, agents === undefined ? '' : JSON.stringify(agents));
}

/** The id of the first message of the conversation: its own, when it is the first. */
export const threadOf = ({ id, thread }: Pick<Message, 'id' | 'thread'>): number => thread ?? id;

export async function findMessage(db: Db | Tx, id: number): Promise<Message | undefined> {
  return (await sql<Message>`select * from "message" where "id" = ${id}`.execute(db)).rows[0];
}

/** The message that a sender has sent with this key, if any. */
export async function sentAs(db: Db | Tx, sender: string, receiver: string, key: string): Promise<number | undefined> {
  const own = db.selectFrom('message').select('id').where('sender', '=', sender).where('receiver', '=', receiver);
  return (await own.where('send_key', '=', key).executeTakeFirst())?.id;
}

/** The newest messages to a receiver, with their fate. */
export async function inboxOf(db: Db | Tx, receiver: string, limit = 50): Promise<Message[]> {
  const newest = db.selectFrom('message').selectAll().where('receiver', '=', receiver).orderBy('id', 'desc').limit(limit);
  return (await newest.execute()).reverse();
}

/** Selects messages: of a conversation, to or from one agent, to one agent, or by id. */
interface Wanted {
  readonly thread?: number | undefined;
  readonly of?: string | undefined;
  readonly to?: string | undefined;
  readonly ids?: readonly number[] | undefined;
}

/** The newest messages that are wanted, in the order they were sent. */
export async function messagesOf(db: Db | Tx, { thread, of, to, ids }: Wanted, limit: number): Promise<Message[]> {
  const newest = db
    .selectFrom('message')
    .selectAll()
    .$if(thread !== undefined, (q) => q.where((e) => e.or([e('thread', '=', thread!), e('id', '=', thread!)])))
    .$if(ids !== undefined, (q) => q.where('id', 'in', ids!))
    .$if(to !== undefined, (q) => q.where('receiver', '=', to!))
    .$if(of !== undefined, (q) => q.where((e) => e.or([e('sender', '=', of!), e('receiver', '=', of!)])))
    .orderBy('id', 'desc')
    .limit(limit);
  return (await newest.execute()).reverse();
}

const asks = keptRows<Message>('message');

/** Every open question, in the order they were asked. */
export async function openAsks(db: Db | Tx): Promise<OpenAsk[]> {
  const rows = await asks(db, () => db.selectFrom('message').selectAll().where('ask', '=', 'open').orderBy('id').execute());
  return rows.map(({ id, receiver, state, attempt, asked_by: askedBy, deadline }) => ({
    ...{ id, receiver, askedBy, deadline },
    readBy: state === 'delivered' ? attempt : null,
  }));
}

/** Open questions that an attempt has read and not answered. */
export async function asksTo(db: Db | Tx, receiver: string, attempt: number): Promise<Message[]> {
  const open = db.selectFrom('message').selectAll().where('ask', '=', 'open').where('receiver', '=', receiver);
  return open.where(isWith(attempt)).orderBy('id').execute();
}

/** Messages that an attempt has: those proven to be there, and those that went to it beside an answer to its hook, whose proof comes later. */
export const isWith = (attempt: number) => (e: ExpressionBuilder<Schema, 'message'>) =>
  e.and([
    e('message.attempt', '=', attempt),
    e.or([e('message.state', '=', 'delivered'), e.and([e('message.state', '=', 'handed'), e('message.via', '=', 'hook')])]),
  ]);

/** The open questions of a sender. */
export async function asksFrom(db: Db | Tx, sender: string): Promise<Message[]> {
  return db.selectFrom('message').selectAll().where('ask', '=', 'open').where('sender', '=', sender).orderBy('id').execute();
}

/** The number of open questions of an attempt. */
export async function asksBy(db: Db | Tx, attempt: number): Promise<number> {
  const open = db.selectFrom('message').select((e) => e.fn.countAll<number>().as('count'));
  return Number((await open.where('ask', '=', 'open').where('asked_by', '=', attempt).executeTakeFirstOrThrow()).count);
}

/** The receivers of the same text from this sender since then, each once. */
export async function gotWords(db: Db | Tx, sender: string, words: string, since: number): Promise<string[]> {
  const same = db.selectFrom('message').select('receiver').distinct().where('sender', '=', sender).where('words', '=', words);
  return (await same.where('at', '>', since).orderBy('receiver').execute()).map((row) => row.receiver);
}

/** Every `furrow status` asks for those to the person. */
const waiting = keptRows<{ count: number }>('message');

/** The number of messages that wait for a receiver. */
export async function waitingFor(db: Db | Tx, receiver: string): Promise<number> {
  const open = sql<{ count: number }>`select count(*) as "count" from "message" where "ended" is null and "receiver" = ${receiver}`;
  const [found] = await waiting(db, async () => (await open.execute(db)).rows, receiver);
  return Number(found?.count);
}
