import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EndArgs, Ended, EndFacts } from '../daemon/acts/attempt-end/arguments.ts';
import { attemptEnd } from '../daemon/acts/attempt-end/host.ts';
import type { StartArgs, Started, StartFacts } from '../daemon/acts/attempt-start/arguments.ts';
import { attemptStart } from '../daemon/acts/attempt-start/host.ts';
import { attemptMarker, startName } from '../daemon/farm/process-names.ts';
import { watchExits } from '../daemon/host/look-at-attempts.ts';
import type { AgentSeen } from '../hosts/link/agent-frames.ts';
import type { ActOrder, Said } from '../hosts/link/frames.ts';
import type { FurrowError } from '../platform/error.ts';
import { isAlive } from '../platform/process/identity.ts';
import { killTree } from '../platform/process/kill.ts';
import type { AgentPlace } from './agent-host.ts';
import type { Bench } from './bench.ts';
import type { Kept, keptAttempts } from './kept-attempts.ts';

/** An order, until the leader has taken its result. */
interface Job {
  readonly order: ActOrder;
  /** Ends its way home, once nobody waits for it. */
  readonly abort: AbortController;
  end: Said | undefined;
}

/** The one start or end of an attempt. A daemon that follows another asks for the same again. */
interface Flight {
  readonly abort: AbortController;
  readonly done: Promise<Result>;
}

type Result = { readonly kind: 'attempt.start'; readonly started: Started } | { readonly kind: 'attempt.end'; readonly ended: Ended };

export interface AgentsOrder {
  readonly bench: Bench;
  readonly place: AgentPlace;
  readonly kept: ReturnType<typeof keptAttempts>;
  /** Gets the commits of an order. */
  readonly fetch: (order: ActOrder, signal: AbortSignal) => Promise<void>;
  /** Brings the commits of an attempt home. Tries again until the leader answers, or the signal ends. */
  readonly sendHome: (id: string, kept: Kept, ended: Ended, signal: AbortSignal) => Promise<void>;
  readonly say: (said: Said) => boolean;
  /** The agent of an attempt reported something that the leader does not know yet. */
  readonly isBehind: (attempt: number) => boolean;
  readonly tell: (line: string) => void;
}

/** A look that a lost hint would delay. */
const LOOK_MS = 1000;

/** Starts and ends agents for the leader, whether or not its line is open, and tells of their processes. */
export class Agents {
  readonly #order: AgentsOrder;
  readonly #jobs = new Map<string, Job>();
  readonly #flights = new Map<string, Flight>();
  readonly #start;
  readonly #end;
  readonly #exits: { close(): void };
  readonly #looking: NodeJS.Timeout;
  readonly #signals = new Map<string, AbortSignal>();
  readonly #prompts = new Map<number, string>();
  /** Attempts that are over and whose work is being kept. */
  readonly #closing = new Set<number>();
  #told = '';

  constructor(order: AgentsOrder) {
    this.#order = order;
    const { host } = order.place;
    this.#start = attemptStart(host, {
      signalFor: (agent) => this.#signals.get(agent) ?? new AbortController().signal,
      brief: async (_, { row }) => this.#prompts.get(row.id) ?? '',
    });
    // What of a change is protected the leader decides when the commits are there.
    this.#end = attemptEnd(host, { drain: async () => undefined, protectedIn: () => [] });
    this.#exits = watchExits(host.places, () => this.look());
    this.#looking = setInterval(() => this.look(), LOOK_MS);
  }

  get running(): string[] {
    return [...this.#jobs.keys()];
  }

  /** The line is open again. */
  again(): void {
    this.#told = '';
    this.look();
    for (const { end } of this.#jobs.values()) if (end) this.#order.say(end);
  }

  begin(order: ActOrder): void {
    if (this.#jobs.has(order.id)) return;
    const job: Job = { order, abort: new AbortController(), end: undefined };
    this.#jobs.set(order.id, job);
    void this.#carryOut(order, job.abort.signal)
      .catch((error: FurrowError) => failed(order, error))
      .then((said) => {
        if (this.#jobs.get(order.id) !== job) return;
        job.end = said;
        this.look();
        this.#order.say(said);
      });
  }

  /** The leader does not want an agent any more that is being started. */
  cancel(id: string): void {
    const order = this.#jobs.get(id)?.order;
    if (order?.kind === 'attempt.start') this.#flights.get(keyOf(order))?.abort.abort();
  }

  /** The leader has the result, or wants none. */
  forget(id: string): void {
    this.#jobs.get(id)?.abort.abort();
    this.#jobs.delete(id);
  }

  /** Tells of the processes, if they are not as they were told last. An end is told after all that the agent reported. */
  look(): void {
    const { kept, say, isBehind, place } = this.#order;
    const seen = kept.all().flatMap(({ row, pid, start }): AgentSeen[] => {
      if (pid === null || isBehind(row.id)) return [];
      const alive = start === '' ? false : isAlive({ pid, start });
      const exited = existsSync(join(place.host.places.exits, startName(row.id, row.launch)));
      return [{ attempt: row.id, launch: row.launch, exited, alive: alive ?? null }];
    });
    const text = JSON.stringify(seen);
    if (text !== this.#told && say({ say: 'seen', attempts: seen })) this.#told = text;
  }

  /** These attempts are over for the farm. What was not handed in stays here, under the names that it would have there. */
  async over(attempts: readonly number[]): Promise<void> {
    for (const attempt of attempts) {
      const one = this.#order.kept.find(attempt);
      if (!one || this.#closing.has(attempt)) continue;
      this.#closing.add(attempt);
      if (!one.ended) await this.#keepLate(one);
      await this.#order.place.doors.close(attempt);
      await this.#order.kept.forget(attempt);
      this.#closing.delete(attempt);
    }
    this.look();
  }

  /** Ends every agent: the leader gives their work to others soon, or this machine leaves. */
  async endAll(why: string): Promise<void> {
    for (const [key, { abort }] of this.#flights) if (key.startsWith('attempt.start')) abort.abort();
    const { kept, place, tell } = this.#order;
    for (const { row, ended } of kept.all()) {
      if (ended) continue;
      const { killed, survivors } = await killTree({ root: undefined, marker: attemptMarker(place.host, row.id) }, 0);
      if (survivors.length > 0) tell(`processes of ${row.agent} cannot be ended: ${survivors.map(({ pid }) => pid).join(', ')}`);
      else if (killed > 0) tell(`${row.agent} was ended: ${why}`);
    }
    this.look();
  }

  get count(): number {
    return this.#order.kept.all().length;
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    this.#exits.close();
    for (const { abort } of this.#jobs.values()) abort.abort();
    await Promise.allSettled([...this.#flights.values()].map(({ done }) => done));
  }

  async #carryOut(order: ActOrder, signal: AbortSignal): Promise<Said> {
    const { id, attempt } = order;
    const result = await this.#flightOf(order).done;
    if (result.kind === 'attempt.start') return { say: 'started-agent', id, result: result.started };
    const kept = this.#order.kept.find(attempt);
    if (kept) await this.#order.sendHome(id, kept, result.ended, signal);
    const { outcome, reason, sha, from } = result.ended;
    if (outcome === 'answered') throw new Error('an errand has no place here');
    return { say: 'ended-agent', id, result: { outcome, reason: reason.slice(0, 4000), sha, ...(from !== undefined && { from }) } };
  }

  #flightOf(order: ActOrder): Flight {
    const key = keyOf(order);
    const known = this.#flights.get(key);
    if (known) return known;
    const abort = new AbortController();
    const done = order.kind === 'attempt.start' ? this.#startAgent(order, abort.signal) : this.#endAgent(order);
    const flight = { abort, done };
    this.#flights.set(key, flight);
    const landed = () => void this.#flights.delete(key);
    done.then(landed, landed);
    return flight;
  }

  async #startAgent(order: ActOrder, signal: AbortSignal): Promise<Result> {
    const { bench, place, kept, fetch } = this.#order;
    const args = order.args as StartArgs;
    const facts = this.#here(order.facts as StartFacts);
    await fetch(order, signal);
    if (order.identity) await bench.commitAs(order.identity);
    place.host.config = await bench.follow(order);
    await kept.note({ row: facts.row, worktree: facts.agent.worktree, task: facts.assignment.task, pid: null, start: '', ended: false });
    this.#signals.set(args.agent, signal);
    this.#prompts.set(facts.row.id, order.prompt ?? '');
    try {
      const started = (await this.#start.probe(args, facts)) ?? (await this.#start.run(args, facts));
      await place.doors.open(facts.row.id);
      const { pid, start } = started;
      await kept.note({ ...kept.find(facts.row.id)!, pid, start, row: { ...facts.row, state: 'running', pid, pid_start: start } });
      return { kind: 'attempt.start', started };
    } catch (error) {
      await kept.forget(facts.row.id);
      throw error;
    } finally {
      this.#signals.delete(args.agent);
      this.#prompts.delete(facts.row.id);
    }
  }

  async #endAgent({ args, facts, config }: ActOrder): Promise<Result> {
    const { bench, place, kept } = this.#order;
    place.host.config = bench.configOf(config);
    const { row, worktree: _there, ...rest } = facts as EndFacts;
    const one = kept.find(row.id);
    const worktree = one?.worktree ?? join(place.host.places.worktrees, row.agent);
    const ended = await this.#end.run(args as EndArgs, { row, worktree, ...rest });
    if (one) await kept.note({ ...one, ended: true });
    return { kind: 'attempt.end', ended };
  }

  /** Keeps the work of an attempt that the farm has given up, and says where it is. */
  async #keepLate({ row, worktree, task }: Kept): Promise<void> {
    const { host } = this.#order.place;
    const earlier = { since: 0, from: null, dropped: [] };
    try {
      const ended = await this.#end.run(
        { attempt: row.id, why: 'stop', graceMs: 0 },
        { row, worktree, task, leases: [], turn: null, earlier },
      );
      const where = [ended.sha === null ? undefined : row.branch, ended.kept ?? undefined].filter((one) => one !== undefined);
      const kept = where.length === 0 ? 'it left nothing' : `its work is kept here, in ${host.repo.root}: ${where.join(', ')}`;
      this.#order.tell(`the farm has given up attempt ${row.n} of ${row.agent} at ${row.task}; ${kept}`);
    } catch (error) {
      this.#order.tell(
        `the farm has given up attempt ${row.n} of ${row.agent} at ${row.task}; ${worktree} stays: ${(error as Error).message}`,
      );
    }
  }

  /** The facts with the worktree that the agent has on this machine. */
  #here(facts: StartFacts): StartFacts {
    const { agent } = facts;
    return { ...facts, agent: { ...agent, worktree: join(this.#order.place.host.places.worktrees, agent.phase, agent.name) } };
  }
}

const keyOf = ({ kind, attempt }: ActOrder) => `${kind} ${attempt}`;

function failed({ id }: ActOrder, error: FurrowError): Said {
  return { say: 'failed', id, code: (error.code ?? 'ERROR').slice(0, 60), message: String(error.message).slice(0, 4000) };
}
