import { agentNamed, agentsOf, findAgent } from '../../agents/agent/store.ts';
import { owedHops } from '../../agents/job/store.ts';
import { groupNamed, isOneself } from '../../agents/message/address.ts';
import { MOST_WAITING } from '../../agents/message/limit.ts';
import { waitingFor } from '../../agents/message/read.ts';
import { HUMAN } from '../../agents/message/text.ts';
import type { CallContext } from '../../api/server.ts';
import type { Tx } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Farm } from '../farm/farm.ts';

/** The one who talks: an agent in its attempt, or a person. */
export interface Talker {
  readonly name: string;
  readonly phase: string | null;
  /** Id of the attempt; null: a person. */
  readonly attempt: number | null;
  /** An orchestrator or a person may read the messages of others. */
  readonly seesAll: boolean;
}

export function senderOf({ caller }: CallContext): Talker {
  if (caller.kind === 'person') return { name: HUMAN, phase: null, attempt: null, seesAll: true };
  if (caller.ended) throw new FurrowError('STALE', `your attempt has ended; this call changes nothing`, { hint: 'stop here' });
  return { name: caller.agent, phase: caller.speaker.phase, attempt: caller.attempt, seesAll: caller.orchestrator };
}

/** The receivers behind the words of an address: names and numbers of agents, groups, `human`. Each of them once, in order. */
export async function receiversOf(farm: Farm, to: readonly string[], sender: Talker) {
  const receivers: string[] = [];
  let group: string | null = null;
  for (const word of to) {
    if (word === HUMAN && sender.name !== HUMAN) {
      receivers.push(HUMAN);
      continue;
    }
    // Most words are names: one row, and not those of all agents.
    if (await findAgent(farm.db, word)) {
      receivers.push(word);
      continue;
    }
    const named = groupNamed(word, await agentsOf(farm.db), sender);
    if (named && 'problem' in named) throw new FurrowError('NO_AGENT', named.problem, { hint: 'furrow status' });
    if (named) group = word;
    receivers.push(...(named ? named.names : [(await agentNamed(farm.db, word)).name]));
  }
  const names = [...new Set(receivers)];
  if (names.some((name) => isOneself(name, sender)))
    throw new FurrowError('USAGE', `you are ${sender.name}: a message to yourself goes nowhere`, { hint: 'furrow status' });
  return { receivers: names, group };
}

export function refuseEmpty(text: string, hint: string): void {
  if (text.trim() === '') throw new FurrowError('USAGE', 'the message is empty', { hint });
}

/** Refuses more messages from agents to a receiver that reads none. A person's messages always pass. */
export async function refuseFull(tx: Tx, sender: Pick<Talker, 'attempt'>, receiver: string): Promise<void> {
  if (sender.attempt === null || (await waitingFor(tx, receiver)) < MOST_WAITING) return;
  throw new FurrowError('TRY_AGAIN', `${MOST_WAITING} messages wait for ${receiver}, and no more are taken`, {
    hint: 'wait until it has read some; furrow ask TEXT asks a person',
  });
}

/** The hops of what an agent sends on its own: one more than those of what it has to answer, so that no chain goes round for ever. */
export async function onward(farm: Farm, tx: Tx, sender: Talker): Promise<number> {
  if (sender.attempt === null) return 0;
  const owed = await owedHops(tx, sender.name, sender.attempt);
  return owed === undefined ? 0 : nextHop(farm, owed);
}

/** One hop more, as long as the chain may grow. */
export function nextHop(farm: Farm, hops: number): number {
  const most = farm.config.messages.hops;
  if (hops < most) return hops + 1;
  throw new FurrowError('TOO_MANY_HOPS', `this conversation has gone from agent to agent ${most} times, and ends here`, {
    hint: 'go on with your task; furrow ask TEXT asks a person',
  });
}

/** Receivers that have no attempt now, in a sentence; null: all of them are at work. */
export async function whyLater(farm: Farm, receivers: readonly string[]): Promise<string | null> {
  const rows = await Promise.all(receivers.filter((name) => name !== HUMAN).map((name) => findAgent(farm.db, name)));
  const away = rows.flatMap((one) => (one && one.attempt === null ? [one.name] : []));
  if (away.length === 0) return null;
  return `${away.join(', ')} has no task now: it gets this with its next task; without one within 24 h this becomes a dead letter`;
}

/** An agent's message wakes only the post; a person's may let an attempt go on, so it wakes the whole loop. */
export function wakeFor(farm: Pick<Farm, 'wake' | 'post'>, { attempt }: Talker): void {
  if (attempt === null) farm.wake();
  else farm.post.wake();
}
