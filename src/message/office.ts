import { setTimeout as pause } from 'node:timers/promises';
import type { Channel, ScreenReading } from '../agent/driver.ts';
import type { Db } from '../journal/store.ts';
import { type DeliveryAction, type DeliveryFacts, forHook, NO_SEARCH, type OpenMessage, type Receiver, type Search } from './plan.ts';
import { mark, marksIn, needsFile, type Way, wrap } from './state.ts';
import { type Message, markDead, markDelivered, markHanded, markReturned, pendingFor } from './store.ts';
import { type Order, type Pane, type Patience, pressAgain, typeIn } from './type-in.ts';

/** The ways to an agent that delivery needs. An absent agent has no pane and no channel. */
export interface Doors {
  readonly db: Db;
  now(): number;
  /** Writes the body, once, to a file that the receiver can read, and names it: always the same name for a message. */
  fileFor(message: Message): Promise<string>;
  /** Where the conversation of an attempt can be looked up, also after its end; undefined when it no longer can. */
  channelOf(agent: string, attempt: number): Channel | undefined;
  /** Made after a look at who types: it refuses to type once a person has. */
  paneOf(agent: string): Promise<Pane | undefined>;
  screenOf(agent: string): ((text: string) => ScreenReading) | undefined;
  readonly patience?: Partial<Patience>;
}

export interface Office {
  facts(receivers: readonly Omit<Receiver, 'busy'>[]): Promise<DeliveryFacts>;
  /** Resolves when the action is done and stored; the plan may say something else then. */
  carryOut(action: DeliveryAction, signal: AbortSignal): Promise<void>;
  /** A prompt that an agent took, by its hook, channel or transcript. */
  took(text: string, attempt: number): Promise<number[]>;
  /** All that waits for an agent, handed over with this answer to its hook; undefined when nothing does. */
  forHook(agent: string, attempt: number): Promise<string | undefined>;
}

/** An agent whose delivery came to nothing is left alone for so long. */
const REST_MS = 1_000;

type Reach = Extract<DeliveryAction, { attempt: number }>;

/** Carries out what `planDelivery` decides. What it remembers only saves time: after a crash the store alone decides. */
export function office(doors: Doors): Office {
  const { db, now } = doors;
  const busy = new Set<string>();
  const searches = new Map<number, Search>();
  const waiting = new Map<number, () => void>();

  const textOf = async (message: Message, via: Way) =>
    wrap(message, needsFile(message.body, via) ? await doors.fileFor(message) : undefined);

  const arrived = (ids: readonly number[]) => {
    for (const id of ids) {
      waiting.get(id)?.();
      searches.delete(id);
    }
    return [...ids];
  };

  const noted = (id: number, change: (before: Search) => Partial<Search>) => {
    const before = searches.get(id) ?? NO_SEARCH;
    searches.set(id, { ...before, ...change(before), looks: before.looks + 1, at: now() });
  };

  const found = async (id: number) => db.selectFrom('message').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  /** Handed over first, in the store, and then in the world: what a crash leaves between them is in doubt, not lost. */
  async function handOver(id: number, via: Way, attempt: number): Promise<string | undefined> {
    searches.delete(id);
    const text = await textOf(await found(id), via);
    return (await db.transaction().execute((tx) => markHanded(tx, id, via, attempt, now()))) ? text : undefined;
  }

  const comesBack = async (id: number) => {
    const { tries } = await found(id);
    await db.transaction().execute((tx) => markReturned(tx, id, tries, now()));
  };

  /** False: nothing was done, because a person is there, or the terminal is not. */
  async function type({ message: id, agent, attempt }: Reach, how: typeof typeIn, signal: AbortSignal): Promise<boolean> {
    const [pane, screen] = [await doors.paneOf(agent), doors.screenOf(agent)];
    if (!pane || !screen) return false;
    // Before it counts as a try: a draft that has come meanwhile is no failure of the message.
    if (how === typeIn && screen(await pane.capture()).draft !== '') return false;
    const text = how === typeIn ? await handOver(id, 'keys', attempt) : await textOf(await found(id), 'keys');
    if (text === undefined) return false;
    const receipt = new Promise<void>((resolve) => waiting.set(id, resolve));
    const order: Order = { text, screen, receipt, signal, ...(doors.patience && { patience: doors.patience }) };
    // A terminal that went away under the typing leaves it in doubt.
    const typed = await how(pane, order).catch(() => ({ receipt: 'unknown', shown: false }) as const);
    waiting.delete(id);
    searches.set(id, { ...(searches.get(id) ?? NO_SEARCH), shown: typed.shown, at: now() });
    if (how === pressAgain) noted(id, ({ presses }) => ({ presses: presses + 1 }));
    if (typed.receipt !== 'unknown') searches.delete(id);
    if (typed.receipt === 'not-delivered') await comesBack(id);
    return true;
  }

  async function search({ message: id, agent, attempt }: Reach, clear: boolean): Promise<true> {
    const channel = doors.channelOf(agent, attempt);
    const seen = await channel?.seen(mark(id)).catch(() => undefined);
    if (seen) arrived(await db.transaction().execute((tx) => markDelivered(tx, [id], attempt, now())));
    else if (seen === false) noted(id, ({ misses }) => ({ misses: clear ? misses + 1 : 0, blind: 0 }));
    else noted(id, ({ blind }) => ({ blind: blind + 1 }));
    return true;
  }

  async function byChannel({ message: id, agent, attempt }: Reach): Promise<boolean> {
    const channel = doors.channelOf(agent, attempt);
    const text = channel?.deliver && (await handOver(id, 'channel', attempt));
    if (!channel?.deliver || text === undefined) return false;
    const receipt = await channel.deliver(text).catch(() => 'unknown' as const);
    if (receipt === 'delivered') arrived(await db.transaction().execute((tx) => markDelivered(tx, [id], attempt, now())));
    if (receipt === 'not-delivered') await comesBack(id);
    return true;
  }

  async function perform(action: DeliveryAction, signal: AbortSignal): Promise<boolean> {
    switch (action.do) {
      case 'channel':
        return byChannel(action);
      case 'type':
        return type(action, typeIn, signal);
      case 'enter':
        return type(action, pressAgain, signal);
      case 'search':
        return search(action, action.clear);
      case 'return':
        searches.delete(action.message);
        return db.transaction().execute((tx) => markReturned(tx, action.message, action.try, now()));
      case 'dead':
        searches.delete(action.message);
        return db.transaction().execute((tx) => markDead(tx, action.message, action.reason, now()));
      default:
        return action satisfies never;
    }
  }

  return {
    async facts(receivers) {
      const rows = await pendingFor(
        db,
        receivers.map(({ agent }) => agent),
      );
      const messages = await Promise.all(rows.map(async (row) => open(row, row.via === 'keys' ? await textOf(row, 'keys') : undefined)));
      return { messages, receivers: new Map(receivers.map((one) => [one.agent, { ...one, busy: busy.has(one.agent) }])), searches };
    },
    async carryOut(action, signal) {
      const agent = 'agent' in action ? action.agent : undefined;
      if (agent && busy.has(agent)) return;
      if (agent) busy.add(agent);
      try {
        // The plan would say the same again at once, and again.
        if (!(await perform(action, signal))) await pause(REST_MS, undefined, { signal }).catch(() => {});
      } finally {
        if (agent) busy.delete(agent);
      }
    },
    async took(text, attempt) {
      const marks = marksIn(text);
      if (marks.length === 0) return [];
      return arrived(await db.transaction().execute((tx) => markDelivered(tx, marks, attempt, now())));
    },
    async forHook(agent, attempt) {
      if (busy.has(agent)) return undefined;
      const ids = forHook(
        (await pendingFor(db, [agent])).map((row) => open(row, undefined)),
        agent,
      );
      const texts = [];
      for (const id of ids) texts.push(await handOver(id, 'hook', attempt));
      return texts.filter((text) => text !== undefined).join('\n\n') || undefined;
    },
  };
}

function open(row: Message, text: string | undefined): OpenMessage {
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
