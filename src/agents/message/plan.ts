import { backoff } from '../../platform/backoff.ts';
import { holds } from './input-line.ts';
import type { Way } from './state.ts';

/** A message that has not ended, as the store has it. */
export interface OpenMessage {
  readonly id: number;
  readonly receiver: string;
  readonly state: 'pending' | 'handed';
  readonly via: Way | null;
  /** Id of the attempt it was handed to. */
  readonly attempt: number | null;
  readonly tries: number;
  readonly at: number;
  readonly handedAt: number | null;
  /** The typed text of a message that was handed over by keys. */
  readonly text?: string;
}

/** The known facts about a receiver. */
export interface Receiver {
  readonly agent: string;
  /** Id of the running attempt; null when it has none. */
  readonly attempt: number | null;
  /** No such agent will exist again. */
  readonly gone: boolean;
  readonly ways: readonly Way[];
  /** As derived, and whether from a signal that needs no second look. */
  readonly state: string;
  readonly sure: boolean;
  /** '' when the input line is empty, undefined when it cannot be seen. */
  readonly draft: string | undefined;
  /** When a person last pressed a key in its window; null when nobody looks at it. */
  readonly typedAt: number | null;
  /** When the agent itself last said anything, by hook or connection. */
  readonly heardAt?: number | null;
  /** A delivery to it is under way. */
  readonly busy: boolean;
}

/** The looks for a message since it was handed over: has it arrived? */
export interface Search {
  /** Looks in a row that did not find its stamp in the conversation while the input line was empty. */
  readonly misses: number;
  /** Looks that gave no answer. */
  readonly blind: number;
  /** Repeated presses of Enter for a text that stayed in the input line. */
  readonly presses: number;
  /** All looks together. */
  readonly looks: number;
  /** The input line has shown what was typed. */
  readonly shown: boolean;
  readonly at: number;
}

export const NO_SEARCH: Search = { misses: 0, blind: 0, presses: 0, looks: 0, shown: false, at: 0 };

export interface DeliveryFacts {
  readonly messages: readonly OpenMessage[];
  readonly receivers: ReadonlyMap<string, Receiver>;
  readonly searches: ReadonlyMap<number, Search>;
  readonly rules?: Partial<Rules>;
}

interface Rules {
  /** Nobody has typed in the window for so long. */
  readonly humanMs: number;
  readonly tries: number;
  /** Before the second try; doubled each time, to a minute. */
  readonly backoffMs: number;
  /** From handing over to the first search, and between two: a transcript is written a moment later. */
  readonly dwellMs: number;
  readonly expiryMs: number;
  /** From reading an inbox to the confirmation: a reader that has not confirmed by then has died. */
  readonly readMs: number;
}

export const RULES: Rules = {
  humanMs: 10_000,
  tries: 5,
  backoffMs: 1_000,
  dwellMs: 2_000,
  expiryMs: 24 * 3_600_000,
  readMs: 60_000,
};

export type DeliveryAction =
  | { readonly do: 'channel' | 'type' | 'enter'; readonly message: number; readonly agent: string; readonly attempt: number }
  /** Looks for its stamp in the conversation. `clear`: nothing of it can stand in the input line, so not there is nowhere. */
  | { readonly do: 'search'; readonly message: number; readonly agent: string; readonly attempt: number; readonly clear: boolean }
  /** Two searches did not find it: it may be handed over again. */
  | { readonly do: 'return'; readonly message: number; readonly try: number }
  | { readonly do: 'dead'; readonly message: number; readonly reason: string };

const BACKOFF_MAX_MS = 60_000;

/**
 * Decides the next action for the messages of all agents. Each receiver gets them in their order, one at a time: a later one
 * waits until the fate of the one before it is known.
 */
export function planDelivery(facts: DeliveryFacts, now: number): DeliveryAction[] {
  return judge(facts, now).flatMap(({ action }) => action ?? []);
}

/** When `planDelivery` can next change its mind by the passing of time alone. */
export function nextDelivery(facts: DeliveryFacts, now: number): number | undefined {
  const times = judge(facts, now).flatMap(({ wake }) => (wake !== undefined && wake > now ? [wake] : []));
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** More at once would distract the agent from its task; the rest comes with its next tool or turn. */
const AT_ONCE = 20;

/** The messages that an answer to the agent's next hook may carry, in order: the first that wait, or none while one is in doubt. */
export function forHook(messages: readonly OpenMessage[], agent: string): number[] {
  const own = inOrder(messages.filter((message) => message.receiver === agent));
  return own.every((message) => message.state === 'pending') ? own.slice(0, AT_ONCE).map((message) => message.id) : [];
}

interface Verdict {
  readonly action?: DeliveryAction;
  readonly wake?: number;
}

const inOrder = (messages: readonly OpenMessage[]) => messages.toSorted((a, b) => a.id - b.id);

function judge(facts: DeliveryFacts, now: number): Verdict[] {
  const rules = { ...RULES, ...facts.rules };
  const heads = new Map<string, OpenMessage>();
  const verdicts: Verdict[] = [];
  for (const message of inOrder(facts.messages)) {
    const receiver = facts.receivers.get(message.receiver);
    const end = over(message, receiver, rules, now);
    if (end.action || end.wake !== undefined) verdicts.push(end);
    if (end.action || !receiver || heads.has(message.receiver)) continue;
    heads.set(message.receiver, message);
    verdicts.push(message.state === 'handed' ? inDoubt(message, receiver, facts, rules, now) : next(message, receiver, rules, now));
  }
  return verdicts;
}

/** Ends messages that are too old, with a reason. One in doubt is not ended by its age: the searches decide. */
function over(message: OpenMessage, receiver: Receiver | undefined, rules: Rules, now: number): Verdict {
  const dead = (reason: string): Verdict => ({ action: { do: 'dead', message: message.id, reason } });
  if (receiver?.busy || message.state === 'handed') return {};
  if (receiver?.gone) return dead(`${message.receiver} is no longer there`);
  if (message.tries >= rules.tries) return dead(`not delivered in ${message.tries} tries`);
  const expires = message.at + rules.expiryMs;
  return now >= expires ? dead('nobody read it in time') : { wake: expires };
}

function next(message: OpenMessage, receiver: Receiver, rules: Rules, now: number): Verdict {
  const { attempt, agent } = receiver;
  if (attempt === null || receiver.busy) return {};
  const act = (how: 'channel' | 'type'): Verdict => ({ action: { do: how, message: message.id, agent, attempt } });
  const rest = restUntil(message, rules);
  if (now < rest) return { wake: rest };
  if (receiver.ways.includes('channel')) return act('channel');
  if (!receiver.ways.includes('keys') || !isQuiet(receiver) || receiver.draft !== '') return {};
  const free = (receiver.typedAt ?? Number.NEGATIVE_INFINITY) + rules.humanMs;
  return now < free ? { wake: free } : act('type');
}

const isQuiet = (receiver: Receiver) => receiver.state === 'idle' && receiver.sure;

function restUntil(message: OpenMessage, rules: Rules): number {
  if (message.tries === 0 || message.handedAt === null) return 0;
  return message.handedAt + backoff(message.tries, rules.backoffMs, BACKOFF_MAX_MS);
}

/**
 * Handed over, and no receipt yet. A text that still stands in the input line gets an Enter; whether any other has
 * arrived only the conversation tells: it is never handed over again before two searches of it found nothing. A search
 * counts only if the line was empty by then: a text that stood among a person's words is sent when that person likes.
 */
function inDoubt(message: OpenMessage, receiver: Receiver, facts: DeliveryFacts, rules: Rules, now: number): Verdict {
  const { id, attempt, tries, via } = message;
  if (attempt === null || receiver.busy) return {};
  const { agent } = receiver;
  if (via === 'inbox') return unread(message, receiver, rules, now);
  const dead = (reason: string): Verdict => ({ action: { do: 'dead', message: id, reason } });
  const search = facts.searches.get(id) ?? { ...NO_SEARCH, at: message.handedAt ?? 0 };
  const typed = via === 'keys' && receiver.attempt === attempt;
  const standing = typed && message.text !== undefined ? holds(receiver.draft, message.text) : 'nothing';
  const clear = standing === 'nothing';
  const sure = clear && isRead(message, receiver, search);
  const due = search.at + (sure ? rules.dwellMs : backoff(search.looks + 1, rules.dwellMs, BACKOFF_MAX_MS));
  if (standing === 'all' && isQuiet(receiver)) {
    if (search.presses >= rules.tries) return dead('typed, but the prompt ignored Enter');
    const free = Math.max((receiver.typedAt ?? Number.NEGATIVE_INFINITY) + rules.humanMs, due);
    return now < free ? { wake: free } : { action: { do: 'enter', message: id, agent, attempt } };
  }
  if (search.blind >= rules.tries) return dead('furrow cannot tell whether it arrived');
  if (search.misses >= 2 && sure) return { action: { do: 'return', message: id, try: tries } };
  if (search.misses >= rules.tries && clear) return dead('it was handed over, but it is not in the conversation');
  return now < due ? { wake: due } : { action: { do: 'search', message: id, agent, attempt, clear } };
}

/** An agent has asked for its inbox and has not confirmed it yet. It confirms at once, or it has died meanwhile. */
function unread({ id, attempt, tries, handedAt }: OpenMessage, receiver: Receiver, rules: Rules, now: number): Verdict {
  const late = (handedAt ?? 0) + rules.readMs;
  return receiver.attempt === attempt && now < late ? { wake: late } : { action: { do: 'return', message: id, try: tries } };
}

/**
 * True when the agent has read the handed text, so that a message missing in its conversation will never appear. A program
 * that is stopped, or slow, may still have it before it: handed over again, it would come twice.
 */
function isRead(message: OpenMessage, receiver: Receiver, search: Search): boolean {
  if (receiver.attempt !== message.attempt) return true;
  if (message.via === 'keys') return search.shown;
  return message.via !== 'hook' || (receiver.heardAt ?? 0) > (message.handedAt ?? 0);
}
