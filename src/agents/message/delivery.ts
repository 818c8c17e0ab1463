import { setTimeout as pause } from 'node:timers/promises';
import type { Connection, ScreenReading } from '../agent/driver.ts';
import type { Mailbox } from './mailbox.ts';
import { type DeliveryAction, type DeliveryFacts, forHook, NO_SEARCH, type OpenMessage, type Receiver, type Search } from './plan.ts';
import type { Message } from './read.ts';
import { needsFile, stamp, stampsIn, type Way } from './state.ts';
import { wrap } from './text.ts';
import { type Order, type Pane, type Patience, pressAgain, typeIn } from './type-in.ts';

/** The ways to an agent that delivery needs. An absent agent has no pane and no connection. */
export interface Doors {
  readonly mail: Mailbox;
  now(): number;
  /** Writes the body, once, to a file that the receiver can read, and names it: always the same name for a message. */
  fileFor(message: Message): Promise<string>;
  /** Finds the conversation of an attempt, also after its end; undefined when it cannot be looked up any more. */
  connectionOf(agent: string, attempt: number): Connection | undefined;
  /** Made after a look at who types: it refuses to type once a person has. */
  paneOf(agent: string): Promise<Pane | undefined>;
  screenOf(agent: string): ((text: string) => ScreenReading) | undefined;
  readonly patience?: Partial<Patience>;
}

/** After a delivery that did not happen the agent is left alone for this long. */
const REST_MS = 1_000;

type Reach = Extract<DeliveryAction, { attempt: number }>;

/** Carries out what `planDelivery` decides. Its memory only saves time: after a crash the store alone decides. */
export class Delivery {
  readonly #doors: Doors;
  readonly #busy = new Set<string>();
  readonly #searches = new Map<number, Search>();
  /** Callbacks of typed messages that wait for their receipt. */
  readonly #waiting = new Map<number, () => void>();

  constructor(doors: Doors) {
    this.#doors = doors;
  }

  async facts(receivers: readonly Omit<Receiver, 'busy'>[]): Promise<DeliveryFacts> {
    const names = receivers.map(({ agent }) => agent);
    const rows = await this.#doors.mail.first(names);
    const messages = await Promise.all(
      rows.map(async (row) => openMessage(row, row.via === 'keys' ? await this.#textOf(row, 'keys') : undefined)),
    );
    const known = receivers.map((one) => [one.agent, { ...one, busy: this.#busy.has(one.agent) }] as const);
    return { messages, receivers: new Map(known), searches: this.#searches };
  }

  /** Resolves when the action is done and stored; the plan may say something else then. */
  async carryOut(action: DeliveryAction, signal: AbortSignal): Promise<void> {
    const agent = 'agent' in action ? action.agent : undefined;
    if (agent && this.#busy.has(agent)) return;
    if (agent) this.#busy.add(agent);
    try {
      // Without this rest the plan would try the same again at once, for ever.
      if (!(await this.#perform(action, signal))) await pause(REST_MS, undefined, { signal }).catch(() => {});
    } finally {
      if (agent) this.#busy.delete(agent);
    }
  }

  /** Notes a prompt that an agent took, by its hook, connection or transcript. */
  async took(text: string, attempt: number): Promise<number[]> {
    const stamps = stampsIn(text);
    return stamps.length === 0 ? [] : this.#delivered(stamps, attempt);
  }

  /** Hands over what waits for an agent with this answer to its hook; undefined when nothing waits. */
  async forHook(agent: string, attempt: number): Promise<string | undefined> {
    if (this.#busy.has(agent)) return undefined;
    const rows = await this.#doors.mail.onWay(agent);
    const ids = forHook(
      rows.map((row) => openMessage(row, undefined)),
      agent,
    );
    const texts = [];
    for (const id of ids) texts.push(await this.#handOver(id, 'hook', attempt));
    return texts.filter((text) => text !== undefined).join('\n\n') || undefined;
  }

  async #perform(action: DeliveryAction, signal: AbortSignal): Promise<boolean> {
    const { mail } = this.#doors;
    switch (action.do) {
      case 'channel':
        return this.#byChannel(action);
      case 'type':
        return this.#type(action, typeIn, signal);
      case 'enter':
        return this.#type(action, pressAgain, signal);
      case 'search':
        return this.#search(action, action.clear);
      case 'return':
        this.#searches.delete(action.message);
        return mail.returned(action.message, action.try);
      case 'dead':
        this.#searches.delete(action.message);
        return mail.dead(action.message, action.reason);
      default:
        return action satisfies never;
    }
  }

  /** False: nothing was done, because a person is there, or the terminal is not. */
  async #type({ message: id, agent, attempt }: Reach, how: typeof typeIn, signal: AbortSignal): Promise<boolean> {
    const [pane, screen] = [await this.#doors.paneOf(agent), this.#doors.screenOf(agent)];
    if (!pane || !screen) return false;
    // Looked at before it counts as a try: a draft that a person has begun meanwhile is no failure of the message.
    if (how === typeIn && screen(await pane.capture()).draft !== '') return false;
    const text = how === typeIn ? await this.#handOver(id, 'keys', attempt) : await this.#textOf(await this.#found(id), 'keys');
    if (text === undefined) return false;
    const receipt = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    const { patience } = this.#doors;
    const order: Order = { text, screen, receipt, signal, ...(patience && { patience }) };
    // A terminal that disappeared while it was typed leaves the message in doubt.
    const typed = await how(pane, order).catch(() => ({ receipt: 'unknown', shown: false }) as const);
    this.#waiting.delete(id);
    this.#searches.set(id, { ...(this.#searches.get(id) ?? NO_SEARCH), shown: typed.shown, at: this.#doors.now() });
    if (how === pressAgain) this.#noted(id, ({ presses }) => ({ presses: presses + 1 }));
    if (typed.receipt !== 'unknown') this.#searches.delete(id);
    if (typed.receipt === 'not-delivered') await this.#comesBack(id);
    return true;
  }

  async #search({ message: id, agent, attempt }: Reach, clear: boolean): Promise<true> {
    const connection = this.#doors.connectionOf(agent, attempt);
    const seen = await connection?.seen(stamp(id)).catch(() => undefined);
    if (seen) await this.#delivered([id], attempt);
    else if (seen === false) this.#noted(id, ({ misses }) => ({ misses: clear ? misses + 1 : 0, blind: 0 }));
    else this.#noted(id, ({ blind }) => ({ blind: blind + 1 }));
    return true;
  }

  async #byChannel({ message: id, agent, attempt }: Reach): Promise<boolean> {
    const connection = this.#doors.connectionOf(agent, attempt);
    const text = connection?.deliver && (await this.#handOver(id, 'channel', attempt));
    if (!connection?.deliver || text === undefined) return false;
    const receipt = await connection.deliver(text).catch(() => 'unknown' as const);
    if (receipt === 'delivered') await this.#delivered([id], attempt);
    if (receipt === 'not-delivered') await this.#comesBack(id);
    return true;
  }

  /** Stored as handed over first, and handed over then: a crash in between leaves the message in doubt, not lost. */
  async #handOver(id: number, via: Way, attempt: number): Promise<string | undefined> {
    this.#searches.delete(id);
    const text = await this.#textOf(await this.#found(id), via);
    return (await this.#doors.mail.handed(id, via, attempt)) ? text : undefined;
  }

  async #comesBack(id: number): Promise<void> {
    const { tries } = await this.#found(id);
    await this.#doors.mail.returned(id, tries);
  }

  async #delivered(stamps: readonly (string | number)[], attempt: number): Promise<number[]> {
    const ids = await this.#doors.mail.delivered(stamps, attempt);
    for (const id of ids) {
      this.#waiting.get(id)?.();
      this.#searches.delete(id);
    }
    return [...ids];
  }

  #noted(id: number, change: (before: Search) => Partial<Search>): void {
    const before = this.#searches.get(id) ?? NO_SEARCH;
    this.#searches.set(id, { ...before, ...change(before), looks: before.looks + 1, at: this.#doors.now() });
  }

  async #found(id: number): Promise<Message> {
    const message = await this.#doors.mail.find(id);
    if (!message) throw new Error(`there is no message ${id}`);
    return message;
  }

  async #textOf(message: Message, via: Way): Promise<string> {
    return wrap(message, needsFile(message.body, via) ? await this.#doors.fileFor(message) : undefined);
  }
}

function openMessage(row: Message, text: string | undefined): OpenMessage {
  const { id, receiver, attempt, tries, at } = row;
  const state = row.state === 'handed' ? 'handed' : 'pending';
  return {
    id,
    receiver,
    state,
    via: row.via as Way | null,
    attempt,
    tries,
    at,
    handedAt: row.handed_at,
    ...(text !== undefined && { text }),
  };
}
