import { farName } from '../../../agents/circle/name.ts';
import { findMessage, type Message } from '../../../agents/message/read.ts';
import { markCrossed, markDead } from '../../../agents/message/store.ts';
import type { Client } from '../../../api/client.ts';
import type { Db, Tx } from '../../../journal/store.ts';

/** The answer of another farm, as it is to be stored, and why its agent gets the message only later. */
interface Brought {
  readonly waits: string | null;
  note(tx: Tx, now: number): Promise<unknown>;
}

/** Gives a message to the daemon of another farm. Given twice it is taken once: that farm knows its key. */
export async function bring(client: Client, db: Db, row: Message): Promise<Brought> {
  const { sender, body: text, hops } = row;
  const to = farName(row.receiver)!.agent;
  if (row.kind === 'reply') return bringAnswer(client, row, await questionOf(db, row));
  const words = { sender, to, text, key: row.far ?? '', hops };
  const ask = row.kind === 'ask';
  const { waits } = ask ? await client.call('receiveAsk', { ...words, deadline: row.deadline ?? 0 }) : await client.call('receive', words);
  return { waits, note: (tx, now) => markCrossed(tx, row.id, !ask, now) };
}

/** The question of another farm that a message answers. */
export async function questionOf(db: Db, { answers }: Message): Promise<Message | undefined> {
  return answers === null ? undefined : findMessage(db, answers);
}

async function bringAnswer(client: Client, row: Message, asked: Message | undefined): Promise<Brought> {
  const end = asked?.ask;
  const left = end === 'answered' || end === 'declined' || end === 'expired' || end === 'unanswered' || end === 'dead';
  const said = { sender: row.sender, text: row.body, hops: row.hops };
  const taken = asked?.far && left ? (await client.call('receiveAnswer', { ...said, key: asked.far, end })).taken : false;
  return {
    waits: null,
    note: (tx, now) => (taken ? markCrossed(tx, row.id, true, now) : markDead(tx, row.id, 'nobody waits for it any more', now)),
  };
}
