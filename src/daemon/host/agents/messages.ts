import { watch } from 'node:fs';
import { type Decision, PASS } from '../../../agents/agent/event.ts';
import { Delivery, type Doors } from '../../../agents/message/delivery.ts';
import { quietPane } from '../../../agents/message/pane.ts';
import { nextDelivery, planDelivery, type Receiver, RULES } from '../../../agents/message/plan.ts';
import type { Message } from '../../../agents/message/read.ts';
import { stamp } from '../../../agents/message/state.ts';
import type { Pane } from '../../../agents/message/type-in.ts';
import { toAwake } from '../../../platform/clock.ts';
import { writeWhole } from '../../../platform/files.ts';
import { wakeAt } from '../../farm/alarm.ts';
import { attemptFiles } from '../../farm/process-names.ts';
import type { AgentRows } from '../../farm/snapshot.ts';
import type { Host } from '../host.ts';
import { type First, receiverOf } from './receiver.ts';
import type { RunningAttempt, RunningAttempts } from './running.ts';

/** Carries messages to agents: beside the answers to their hooks, by their connections, and by keys when nothing else is left. */
export class AgentMessages {
  readonly #farm: Host;
  readonly #attempts: RunningAttempts;
  readonly #delivery: Delivery;
  readonly #ending = new AbortController();
  /** The running attempt of each agent that has messages, as of the last look. */
  readonly #receivers = new Map<string, RunningAttempt>();

  constructor(farm: Host, attempts: RunningAttempts) {
    this.#farm = farm;
    this.#attempts = attempts;
    this.#delivery = new Delivery(doorsTo(farm, this.#receivers));
  }

  /** The agent took a text: whatever stamps are in it have arrived. */
  async taken(running: RunningAttempt, text: string): Promise<void> {
    if ((await this.#delivery.took(text, running.attempt)).length > 0) this.#farm.post.wake();
  }

  /** Confirms messages that a hook handed over before, if the conversation holds them. */
  async confirm(running: RunningAttempt): Promise<void> {
    for (const row of await this.#inDoubt(running)) {
      // Without a transcript to look into, the next event proves that the answer was read.
      if (running.connection ? await running.connection.seen(stamp(row.id)).catch(() => undefined) : true)
        await this.#arrived(running, row);
    }
  }

  /** The conversation is over: messages that it does not hold go to the next one. */
  async conclude(running: RunningAttempt): Promise<void> {
    for (const row of await this.#inDoubt(running)) {
      const found = await running.connection?.seen(stamp(row.id)).catch(() => undefined);
      if (found) await this.#arrived(running, row);
      else if (found === false) await this.#farm.leader.mail.returned(row.id, row.tries);
    }
    this.#farm.wake();
  }

  /** The messages that wait and are not being delivered. */
  async waiting(running: RunningAttempt): Promise<readonly Message[]> {
    return (await this.#farm.leader.mail.onWay(running.agent)).filter((row) => row.state === 'pending');
  }

  /** All messages that wait, handed over with this answer; undefined when none does. */
  async take(running: RunningAttempt): Promise<string | undefined> {
    this.#receivers.set(running.agent, running);
    return this.#delivery.forHook(running.agent, running.attempt);
  }

  /** The same as an answer to the end of a tool. */
  async beside(running: RunningAttempt): Promise<Decision> {
    const text = await this.take(running);
    return text === undefined ? PASS : { do: 'tell', text };
  }

  /** Looks at every message on its way, and does what can be done for it now. */
  async follow(seen?: AgentRows): Promise<void> {
    const farm = this.#farm;
    const first = await farm.leader.mail.first();
    if (first.length === 0) return;
    const rows = seen ?? (await farm.leader.attempts.rows());
    const receivers = [];
    for (const one of first) receivers.push(await this.#receiver(rows, one.receiver, one));
    const facts = await this.#delivery.facts(receivers);
    const now = farm.clock.now();
    for (const action of planDelivery(facts, now)) {
      void this.#delivery
        .carryOut(action, this.#ending.signal)
        .catch((error: Error) => farm.log.warn({ message: action.message, error: error.message }, 'a delivery failed'))
        .finally(farm.post.wake);
    }
    const next = nextDelivery(facts, now);
    if (next !== undefined) wakeAt(farm.post, toAwake(farm.clock, next));
  }

  close(): void {
    this.#ending.abort();
  }

  async #receiver(rows: AgentRows, name: string, first: First): Promise<Omit<Receiver, 'busy'>> {
    const { running, ...receiver } = await receiverOf(this.#farm, this.#attempts, rows, name, first);
    if (running) this.#receivers.set(name, running);
    else this.#receivers.delete(name);
    return receiver;
  }

  async #inDoubt({ agent, attempt }: RunningAttempt): Promise<Message[]> {
    const rows = await this.#farm.leader.mail.onWay(agent);
    return rows.filter((row) => row.state === 'handed' && row.attempt === attempt && row.via !== 'keys' && row.via !== 'inbox');
  }

  async #arrived(running: RunningAttempt, row: Message): Promise<void> {
    await this.#farm.leader.mail.delivered([row.id], running.attempt);
    this.#farm.post.wake();
  }
}

function doorsTo(farm: Host, receivers: ReadonlyMap<string, RunningAttempt>): Doors {
  return {
    mail: farm.leader.mail,
    now: farm.clock.now,
    async fileFor(message) {
      const running = receivers.get(message.receiver);
      const folder = running ? attemptFiles(farm.places, running.agent, running.attempt).folder : farm.places.run;
      const file = `${folder}/m${message.id}.md`;
      await writeWhole(file, message.body);
      return file;
    },
    connectionOf(agent, attempt) {
      const running = receivers.get(agent);
      return running?.attempt === attempt ? running.connection : undefined;
    },
    async paneOf(agent) {
      const running = receivers.get(agent);
      return running && paneOf(farm, running);
    },
    screenOf: (agent) => receivers.get(agent)?.driver.screen,
  };
}

/** An agent's pane to type into, in a person's absence; undefined when one is there, or the agent has none. */
async function paneOf(farm: Host, running: RunningAttempt): Promise<Pane | undefined> {
  const at = await farm.terminals.at(running.agent);
  if (!at) return undefined;
  const { log } = attemptFiles(farm.places, running.agent, running.attempt, running.launch);
  return quietPane(at.tmux, at, { humanMs: RULES.humanMs, now: farm.clock.now() }, (signal) => grown(log, signal));
}

/** Resolves when the pane's log grows: what a program draws goes there at once. */
function grown(log: string, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    signal.addEventListener('abort', () => done(), { once: true });
    if (signal.aborted) return done();
    try {
      const watcher = watch(log, { signal }, () => {
        watcher.close();
        done();
      });
      watcher.on('error', () => done());
    } catch {
      // No watches are left, or no log is: the caller's own bound is what ends the wait.
    }
  });
}
