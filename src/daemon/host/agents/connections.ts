import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '../../../agents/agent/driver.ts';
import { PASS } from '../../../agents/agent/event.ts';
import type { AgentRows } from '../../farm/snapshot.ts';
import { agentEnvironment } from '../agent-environment.ts';
import type { Host } from '../host.ts';
import type { AgentEvents } from './agent-events.ts';
import { requestOf } from './launch.ts';
import type { RunningAttempt, RunningAttempts } from './running.ts';

interface Open {
  /** The start of the process it leads to. */
  readonly launch: number;
  readonly end: AbortController;
  attempt?: RunningAttempt;
  /** Resolves when the connection is open, or could not be opened. */
  ready?: Promise<void>;
  /** The attempt has ended: only what it used is still of interest. */
  over?: true;
}

const AGAIN_MS = 2000;
/** A transcript is read in less; the server of an agent that is gone never answers. */
const OPEN_MS = 5000;

type AttemptRow = AgentRows['attempts'][number];
type AgentRow = AgentRows['agents'][number];

/** Keeps a connection to every running agent that takes one, from its start to its end, and again after a restart of the daemon. */
export class Connections {
  readonly #farm: Host;
  readonly #attempts: RunningAttempts;
  readonly #events: AgentEvents;
  /** Looks for the messages of a conversation that is over. */
  readonly #conclude: (running: RunningAttempt) => Promise<void>;
  readonly #open = new Map<number, Open>();
  /** Attempts whose process was running when this daemon came: they are not fresh. */
  readonly #found = new Map<number, number>();
  #first = true;

  constructor(farm: Host, attempts: RunningAttempts, events: AgentEvents, conclude: (running: RunningAttempt) => Promise<void>) {
    this.#farm = farm;
    this.#attempts = attempts;
    this.#events = events;
    this.#conclude = conclude;
  }

  /** Opens connections that are missing, and closes those of attempts that are over. */
  follow(rows: AgentRows): void {
    const running = new Map(rows.attempts.filter((row) => row.state === 'running').map((row) => [row.id, row]));
    if (this.#first) for (const row of running.values()) this.#found.set(row.id, row.launch);
    this.#first = false;
    for (const [attempt, { launch }] of this.#open) if (running.get(attempt)?.launch !== launch) void this.#shut(attempt, true);
    for (const row of running.values()) {
      const agent = rows.agents.find((one) => one.name === row.agent);
      if (agent && !this.#open.has(row.id)) this.#begin(row, agent, { launch: row.launch, end: new AbortController() });
    }
  }

  /**
   * The process is gone: reads the rest of its transcript and stores it before this resolves. Also when the connection is not open yet,
   * because the daemon may have been away when the process ended.
   */
  async drain(attempt: number): Promise<void> {
    const at = this.#open.get(attempt) ?? (await this.#beginLate(attempt));
    await Promise.race([at?.ready, sleep(OPEN_MS, undefined, { ref: false })]);
    await at?.attempt?.connection
      ?.drain?.()
      .catch((error: Error) => this.#farm.log.warn({ attempt, error: error.message }, 'not all of it was read'));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((attempt) => this.#shut(attempt, false)));
  }

  /** Begins to connect to an attempt. */
  #begin(row: AttemptRow, agent: AgentRow, at: Open): void {
    const farm = this.#farm;
    const reach = { what: `reach ${row.agent}`, next: `furrow attach ${row.agent}`, agent: row.agent, tasks: [row.task] };
    const doing = { key: `channel:${row.id}`, ...reach };
    this.#open.set(row.id, at);
    at.ready = this.#connect(row, agent, at).then(
      () => farm.failing.worked(doing.key),
      async (error: Error) => {
        farm.log.warn({ agent: row.agent, error: error.message }, 'the agent cannot be reached');
        if (at.end.signal.aborted) return;
        this.#open.delete(row.id);
        setTimeout(farm.wake, AGAIN_MS).unref();
        await farm.failing.failed(doing, error, AGAIN_MS);
      },
    );
  }

  async #connect(row: AttemptRow, agent: AgentRow, at: Open): Promise<void> {
    const running = await this.#attempts.find(row.id);
    if (!running?.driver.connect || !running.driver.speaks(running.settings) || at.end.signal.aborted) return;
    const raced = await this.#farm.leader.attempts.racedTask(row.task);
    const env = agentEnvironment(this.#farm, row, agent, raced, row.launch);
    const request = await requestOf(this.#farm, row, agent, { env, session: running.record.signals.session });
    const link = linkTo(this.#farm, this.#events, running, at, { request, fresh: this.#found.get(row.id) !== row.launch });
    const connection = await running.driver.connect(link);
    if (at.end.signal.aborted) await connection.close();
    else {
      running.connection = connection;
      at.attempt = running;
    }
    this.#farm.wake();
  }

  /** Only the usage still matters of an attempt that ended while no daemon ran. */
  async #beginLate(attempt: number): Promise<Open | undefined> {
    const row = await this.#farm.leader.attempts.find(attempt);
    const agent = row?.state === 'running' ? await this.#farm.leader.attempts.agent(row.agent) : undefined;
    if (!row || !agent || this.#open.has(attempt)) return this.#open.get(attempt);
    const at: Open = { launch: row.launch, end: new AbortController(), over: true };
    this.#found.set(row.id, row.launch);
    this.#begin(row, agent, at);
    return at;
  }

  async #shut(attempt: number, over: boolean): Promise<void> {
    const at = this.#open.get(attempt);
    this.#open.delete(attempt);
    void this.#farm.failing.dropped(`channel:${attempt}`);
    const connection = at?.attempt?.connection;
    // The transcript is complete now: it has the last message that was handed over, or that message never arrived.
    if (at?.attempt && connection && over) {
      at.over = true;
      await this.#conclude(at.attempt).catch(() => {});
      await connection.drain?.().catch(() => {});
    }
    at?.end.abort();
    if (at?.attempt) at.attempt.connection = undefined;
    await connection?.close().catch(() => {});
  }
}

function linkTo(farm: Host, events: AgentEvents, running: RunningAttempt, at: Open, start: Pick<Link, 'request' | 'fresh'>): Link {
  return {
    ...start,
    get session() {
      return running.record.signals.session;
    },
    get transcript() {
      return running.record.signals.transcriptPath;
    },
    signal: at.end.signal,
    heard: async (event, source) => (at.over && event.on !== 'usage' ? PASS : events.receive(running, event, source, at.end.signal)),
    warn: (text) => farm.log.warn({ agent: running.agent, attempt: running.attempt }, text),
    async tell(text) {
      const { agent: name, task, n } = running;
      const event = { kind: 'agent.warning' as const, agent: name, task, attempt: n, text: `${name}: ${text}` };
      await farm.report({ events: [event] });
      farm.wake();
    },
  };
}
