import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '../../agent/driver.ts';
import { PASS } from '../../agent/event.ts';
import { findAgent } from '../../agent/store.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import { append } from '../../journal/event.ts';
import type { Host } from '../host.ts';
import type { AgentEvents } from './agent-events.ts';
import { requestOf } from './launch.ts';
import type { RunningAttempt, RunningAttempts } from './running.ts';

/** Keeps a way open to every running agent that has one, from its start to its end, and again after a restart of the daemon. */
export interface Channels {
  /** Opens what is missing, closes what is over. */
  follow(rows: FarmRows): void;
  /**
   * The process is gone: what it left to be read is read and heard before this resolves. Also of an attempt whose way is
   * only being opened, or is not open yet: the daemon may have been away when it ended.
   */
  drain(attempt: number): Promise<void>;
  close(): Promise<void>;
}

interface Open {
  /** The start of the process it leads to. */
  readonly launch: number;
  readonly end: AbortController;
  attempt?: RunningAttempt;
  /** Resolves when the way is open, or could not be opened. */
  ready?: Promise<void>;
  /** The attempt has ended: only what it used is still of interest. */
  over?: true;
}

const AGAIN_MS = 2000;
/** A transcript is read in less; the server of an agent that is gone never answers. */
const OPEN_MS = 5000;

export function channels(
  farm: Host,
  attempts: RunningAttempts,
  events: AgentEvents,
  lastLook: (running: RunningAttempt) => Promise<void>,
): Channels {
  const open = new Map<number, Open>();
  /** Attempts whose process was running when this daemon came: they are not fresh. */
  const found = new Map<number, number>();
  let first = true;

  const shut = async (attempt: number, over: boolean) => {
    const at = open.get(attempt);
    open.delete(attempt);
    void farm.failing.dropped(`channel:${attempt}`);
    const channel = at?.attempt?.channel;
    // By now the transcript is whole: what was handed over last has arrived, or never will.
    if (at?.attempt && channel && over) {
      at.over = true;
      await lastLook(at.attempt).catch(() => {});
      await channel.drain?.().catch(() => {});
    }
    at?.end.abort();
    if (at?.attempt) at.attempt.channel = undefined;
    await channel?.close().catch(() => {});
  };

  const connect = async (row: FarmRows['attempts'][number], agent: FarmRows['agents'][number], at: Open): Promise<void> => {
    const running = await attempts.find(row.id);
    if (!running?.driver.connect || !running.driver.speaks(running.settings) || at.end.signal.aborted) return;
    const request = await requestOf(farm, row, agent);
    const link = linkTo(farm, events, running, at, { request, fresh: found.get(row.id) !== row.launch });
    const channel = await running.driver.connect(link);
    if (at.end.signal.aborted) await channel.close();
    else {
      running.channel = channel;
      at.attempt = running;
    }
    farm.wake();
  };

  /** Begins to open the way to an attempt. */
  const begin = (row: FarmRows['attempts'][number], agent: FarmRows['agents'][number], at: Open): void => {
    const { id } = row;
    const tasks = [row.task];
    const doing = { key: `channel:${id}`, what: `reach ${row.agent}`, next: `furrow attach ${row.agent}`, agent: row.agent, tasks };
    open.set(id, at);
    at.ready = connect(row, agent, at).then(
      () => farm.failing.worked(doing.key),
      async (error: Error) => {
        farm.log.warn({ agent: row.agent, error: error.message }, 'the agent cannot be reached');
        if (at.end.signal.aborted) return;
        open.delete(id);
        setTimeout(farm.wake, AGAIN_MS).unref();
        await farm.failing.failed(doing, error, AGAIN_MS);
      },
    );
  };

  /** Of an attempt that ended while no daemon was there nobody wants to know more than what it used. */
  const beginLate = async (attempt: number): Promise<Open | undefined> => {
    const row = await farm.db.selectFrom('attempt').selectAll().where('id', '=', attempt).where('state', '=', 'running').executeTakeFirst();
    const agent = row && (await findAgent(farm.db, row.agent));
    if (!row || !agent || open.has(attempt)) return open.get(attempt);
    const at: Open = { launch: row.launch, end: new AbortController(), over: true };
    found.set(row.id, row.launch);
    begin(row, agent, at);
    return at;
  };

  return {
    follow(rows) {
      if (first) for (const row of rows.attempts) if (row.state === 'running') found.set(row.id, row.launch);
      first = false;
      const running = new Map(rows.attempts.filter((row) => row.state === 'running').map((row) => [row.id, row]));
      for (const [attempt, { launch }] of open) if (running.get(attempt)?.launch !== launch) void shut(attempt, true);
      for (const row of running.values()) {
        const agent = rows.agents.find((one) => one.name === row.agent);
        if (agent && !open.has(row.id)) begin(row, agent, { launch: row.launch, end: new AbortController() });
      }
    },
    async drain(attempt) {
      const at = open.get(attempt) ?? (await beginLate(attempt));
      await Promise.race([at?.ready, sleep(OPEN_MS, undefined, { ref: false })]);
      await at?.attempt?.channel
        ?.drain?.()
        .catch((error: Error) => farm.log.warn({ attempt, error: error.message }, 'not all of it was read'));
    },
    async close() {
      await Promise.all([...open.keys()].map((attempt) => shut(attempt, false)));
    },
  };
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
      await farm.db.transaction().execute((tx) => append(tx, event, farm.clock.now()));
      farm.wake();
    },
  };
}
