import { createHash } from 'node:crypto';
import { findMessage, gotWords } from '../../agents/message/read.ts';
import { markDead, markReleased, send } from '../../agents/message/store.ts';
import { HUMAN } from '../../agents/message/text.ts';
import type { Tx } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import { openQuestions, type Question, raiseQuestion } from '../../work/question/store.ts';
import type { Farm } from '../farm/farm.ts';
import type { Talker } from './senders-and-receivers.ts';

/** Beside the words of a message: their hash, and that they wait for a person. */
interface Brake {
  readonly words: string | null;
  readonly held: boolean;
}

const FREE: Brake = { words: null, held: false };

export const HELD = 'held: a person is asked whether so many may get the same words';

/**
 * Words that one agent gives to many are held for a person: text that makes agents pass it on would else go round the farm by itself. A person
 * is free, and so is a group that an orchestrator tells: its role is given to it by a person.
 */
export async function brakeFor(
  farm: Farm,
  tx: Tx,
  sender: Talker,
  receivers: readonly string[],
  text: string,
  group: boolean,
): Promise<Brake> {
  if (sender.attempt === null || (sender.seesAll && group)) return FREE;
  const words = wordsOf(text);
  const others = receivers.filter((name) => name !== HUMAN);
  const got = (await gotWords(tx, sender.name, words, farm.clock.now() - SPREAD_MS)).filter((name) => name !== HUMAN);
  return { words, held: spreads(got, others, farm.config.messages.spread) };
}

/** One question for all that is held of the same words. */
export async function askToSpread(tx: Tx, sender: Talker, words: string, text: string, ids: readonly number[], now: number): Promise<void> {
  const subject = `${sender.name} ${words}`;
  const [open] = await openQuestions(tx, { kinds: ['spread'], subject });
  const messages = [...new Set([...(open ? heldBy(open) : []), ...ids])];
  const rows = await Promise.all(messages.map((id) => findMessage(tx, id)));
  const held = new Set(rows.flatMap((row) => (row?.state === 'held' ? [row.receiver] : [])));
  const got = (await gotWords(tx, sender.name, words, now - SPREAD_MS)).filter((name) => !held.has(name));
  const before = got.length > 0 ? ` ${got.join(', ')} got the same before.` : '';
  const reason = `${sender.name} wants to tell the same to ${[...held].join(', ')}.${before} It says: ${text}`;
  await raiseQuestion(tx, { kind: 'spread', subject, reason, agent: sender.name, task: null, data: JSON.stringify({ messages }) }, now);
}

const heldBy = ({ data }: Question): number[] => (JSON.parse(data ?? '{}') as { messages?: number[] }).messages ?? [];

/** A yes releases the messages; a no makes dead letters of them, and their sender is told. */
export async function answerSpread(tx: Tx, row: Question, text: string, now: number): Promise<void> {
  const yes = /^\s*(y|yes|ok|send|allow)\b/i.test(text);
  const [no, why = ''] = /^\s*(?:n|no|deny)\b[\s:,.!-]*(.*)$/is.exec(text) ?? [];
  if (!yes && no === undefined)
    throw new FurrowError('NOT_AN_ANSWER', 'answer yes to deliver the messages, or no', { hint: `furrow answer ${row.id} yes` });
  const reason = `a person refused to send it to so many${why.trim() ? `: ${why.trim()}` : ''}`;
  const ids = heldBy(row);
  for (const id of ids) await (yes ? markReleased(tx, id, now) : markDead(tx, id, reason, now));
  if (yes || !row.agent) return;
  const body = `Your ${ids.length === 1 ? 'message' : 'messages'} ${ids.map((id) => `m${id}`).join(', ')} reached nobody: ${reason}.`;
  await send(tx, { sender: 'furrow', receiver: row.agent, kind: 'notify', body }, now);
}

/** The same words count as the same within this time. */
const SPREAD_MS = 24 * 3_600_000;

/** A hash of a text, by which the same words are found. Spaces and the case of letters make no other words. */
const wordsOf = (text: string): string =>
  createHash('sha256').update(text.trim().replace(/\s+/g, ' ').toLowerCase()).digest('hex').slice(0, 16);

/** True when words that some have got already would spread to more than `most` with these receivers. */
const spreads = (got: readonly string[], receivers: readonly string[], most: number): boolean =>
  new Set([...got, ...receivers]).size > most;
