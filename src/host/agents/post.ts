import { type Decision, PASS } from '../../agent/event.ts';
import { wakeAt } from '../../farm/alarm.ts';
import { attemptFiles, type Farm } from '../../farm/farm.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import { Delivery } from '../../message/delivery.ts';
import { nextDelivery, planDelivery } from '../../message/plan.ts';
import { mark } from '../../message/state.ts';
import { type Message, markDelivered, markReturned, pendingFor } from '../../message/store.ts';
import { toAwake } from '../../platform/clock.ts';
import { writeWhole } from '../../platform/files.ts';
import type { Ears, Live } from './ears.ts';
import { paneOf } from './keys.ts';
import { receiverOf } from './receiver.ts';

/** Carries messages to agents: beside the answers to their hooks, by their channels, and by keys when nothing else is left. */
export interface Post {
  /** The agent took a text: whatever marks are in it have arrived. */
  taken(live: Live, text: string): Promise<void>;
  /** Confirms messages that a hook handed over before, if the conversation holds them. */
  confirm(live: Live): Promise<void>;
  /** The conversation is over: what it does not hold goes to the next one. */
  conclude(live: Live): Promise<void>;
  /** The messages that wait and are not being delivered. */
  waiting(live: Live): Promise<readonly Message[]>;
  /** All that waits, handed over with this answer; undefined when nothing does. */
  take(live: Live): Promise<string | undefined>;
  /** The same as an answer to the end of a tool. */
  beside(live: Live): Promise<Decision>;
  /** Looks at every message on its way, and does what can be done for it now. */
  follow(rows: FarmRows): Promise<void>;
  close(): void;
}

export function post(farm: Farm, ears: () => Ears): Post {
  const ending = new AbortController();
  /** The running attempt of each agent that has messages, as of the last look. */
  const at = new Map<string, Live>();
  const desk = new Delivery({
    db: farm.db,
    now: farm.clock.now,
    async fileFor(message) {
      const live = at.get(message.receiver);
      const folder = live ? attemptFiles(farm.places, live.agent, live.attempt).folder : farm.places.run;
      const file = `${folder}/m${message.id}.md`;
      await writeWhole(file, message.body);
      return file;
    },
    channelOf(agent, attempt) {
      const live = at.get(agent);
      return live?.attempt === attempt ? live.channel : undefined;
    },
    paneOf: async (agent) => {
      const live = at.get(agent);
      return live && paneOf(farm, live);
    },
    screenOf: (agent) => at.get(agent)?.driver.screen,
  });

  const take: Post['take'] = async (live) => {
    at.set(live.agent, live);
    return desk.forHook(live.agent, live.attempt);
  };

  const inDoubt = async (live: Live) =>
    (await pendingFor(farm.db, [live.agent])).filter((row) => row.state === 'handed' && row.attempt === live.attempt && row.via !== 'keys');

  const arrived = async (live: Live, row: Message) => {
    await farm.db.transaction().execute((tx) => markDelivered(tx, [row.id], live.attempt, farm.clock.now()));
    farm.wake();
  };

  return {
    async taken(live, text) {
      if ((await desk.took(text, live.attempt)).length > 0) farm.wake();
    },
    async waiting(live) {
      return (await pendingFor(farm.db, [live.agent])).filter((row) => row.state === 'pending');
    },
    take,
    async beside(live) {
      const text = await take(live);
      return text === undefined ? PASS : { do: 'tell', text };
    },
    async confirm(live) {
      for (const row of await inDoubt(live)) {
        // Without a transcript to look into, the next thing heard proves that the answer was read.
        if (live.channel ? await live.channel.seen(mark(row.id)).catch(() => undefined) : true) await arrived(live, row);
      }
    },
    async conclude(live) {
      for (const row of await inDoubt(live)) {
        const found = await live.channel?.seen(mark(row.id)).catch(() => undefined);
        if (found) await arrived(live, row);
        else if (found === false) await farm.db.transaction().execute((tx) => markReturned(tx, row.id, row.tries, farm.clock.now()));
      }
      farm.wake();
    },
    async follow(rows) {
      const open = await farm.db
        .selectFrom('message')
        .select(['receiver', 'sender', 'kind'])
        .where('ended', 'is', null)
        .orderBy('id')
        .execute();
      if (open.length === 0) return;
      const receivers = [];
      for (const [name, own] of Map.groupBy(open, (one) => one.receiver)) {
        const { live, ...receiver } = await receiverOf(farm, ears(), rows, name, own[0]!);
        if (live) at.set(name, live);
        else at.delete(name);
        receivers.push(receiver);
      }
      const facts = await desk.facts(receivers);
      const now = farm.clock.now();
      for (const action of planDelivery(facts, now)) {
        void desk
          .carryOut(action, ending.signal)
          .catch((error: Error) => farm.log.warn({ message: action.message, error: error.message }, 'a delivery failed'))
          .finally(farm.wake);
      }
      const next = nextDelivery(facts, now);
      if (next !== undefined) wakeAt(farm, toAwake(farm.clock, next));
    },
    close: () => ending.abort(),
  };
}
