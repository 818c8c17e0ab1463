import { type Decision, PASS } from '../../agent/event.ts';
import { wakeAt } from '../../farm/alarm.ts';
import { attemptFiles } from '../../farm/farm.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import { Delivery } from '../../message/delivery.ts';
import { nextDelivery, planDelivery } from '../../message/plan.ts';
import { mark } from '../../message/state.ts';
import { type Message, markDelivered, markReturned, pendingFor } from '../../message/store.ts';
import { toAwake } from '../../platform/clock.ts';
import { writeWhole } from '../../platform/files.ts';
import type { Host } from '../host.ts';
import { paneOf } from './pane.ts';
import { receiverOf } from './receiver.ts';
import type { RunningAttempt, RunningAttempts } from './running.ts';

/** Carries messages to agents: beside the answers to their hooks, by their channels, and by keys when nothing else is left. */
export interface AgentMessages {
  /** The agent took a text: whatever marks are in it have arrived. */
  taken(running: RunningAttempt, text: string): Promise<void>;
  /** Confirms messages that a hook handed over before, if the conversation holds them. */
  confirm(running: RunningAttempt): Promise<void>;
  /** The conversation is over: what it does not hold goes to the next one. */
  conclude(running: RunningAttempt): Promise<void>;
  /** The messages that wait and are not being delivered. */
  waiting(running: RunningAttempt): Promise<readonly Message[]>;
  /** All that waits, handed over with this answer; undefined when nothing does. */
  take(running: RunningAttempt): Promise<string | undefined>;
  /** The same as an answer to the end of a tool. */
  beside(running: RunningAttempt): Promise<Decision>;
  /** Looks at every message on its way, and does what can be done for it now. */
  follow(rows: FarmRows): Promise<void>;
  close(): void;
}

export function agentMessages(farm: Host, attempts: RunningAttempts): AgentMessages {
  const ending = new AbortController();
  /** The running attempt of each agent that has messages, as of the last look. */
  const at = new Map<string, RunningAttempt>();
  const desk = new Delivery({
    db: farm.db,
    now: farm.clock.now,
    async fileFor(message) {
      const running = at.get(message.receiver);
      const folder = running ? attemptFiles(farm.places, running.agent, running.attempt).folder : farm.places.run;
      const file = `${folder}/m${message.id}.md`;
      await writeWhole(file, message.body);
      return file;
    },
    channelOf(agent, attempt) {
      const running = at.get(agent);
      return running?.attempt === attempt ? running.channel : undefined;
    },
    paneOf: async (agent) => {
      const running = at.get(agent);
      return running && paneOf(farm, running);
    },
    screenOf: (agent) => at.get(agent)?.driver.screen,
  });

  const take: AgentMessages['take'] = async (running) => {
    at.set(running.agent, running);
    return desk.forHook(running.agent, running.attempt);
  };

  const inDoubt = async (running: RunningAttempt) =>
    (await pendingFor(farm.db, [running.agent])).filter(
      (row) => row.state === 'handed' && row.attempt === running.attempt && row.via !== 'keys',
    );

  const arrived = async (running: RunningAttempt, row: Message) => {
    await farm.db.transaction().execute((tx) => markDelivered(tx, [row.id], running.attempt, farm.clock.now()));
    farm.wake();
  };

  return {
    async taken(running, text) {
      if ((await desk.took(text, running.attempt)).length > 0) farm.wake();
    },
    async waiting(running) {
      return (await pendingFor(farm.db, [running.agent])).filter((row) => row.state === 'pending');
    },
    take,
    async beside(running) {
      const text = await take(running);
      return text === undefined ? PASS : { do: 'tell', text };
    },
    async confirm(running) {
      for (const row of await inDoubt(running)) {
        // Without a transcript to look into, the next thing heard proves that the answer was read.
        if (running.channel ? await running.channel.seen(mark(row.id)).catch(() => undefined) : true) await arrived(running, row);
      }
    },
    async conclude(running) {
      for (const row of await inDoubt(running)) {
        const found = await running.channel?.seen(mark(row.id)).catch(() => undefined);
        if (found) await arrived(running, row);
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
        const { running, ...receiver } = await receiverOf(farm, attempts, rows, name, own[0]!);
        if (running) at.set(name, running);
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
