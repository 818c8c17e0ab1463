import type { QueuePlan } from '../../src/queue/plan.ts';
import type { Chain, QueueSnapshot } from '../../src/queue/snapshot.ts';
import { carryOut, type Listener } from './carry-out.ts';
import { chance, dice, logNormal } from './random.ts';
import { Timeline } from './timeline.ts';
import { Totals } from './totals.ts';
import type { Tree } from './tree.ts';
import type { Change, Order, UserCommit, Workload } from './workload.ts';
import { taskOf, World } from './world.ts';

/** How a queue decides; the planner is one. */
export type Policy = (snapshot: QueueSnapshot) => QueuePlan;

type Event =
  | { on: 'submitted'; change: Change; attempt: number }
  | { on: 'ejected'; change: Change }
  | { on: 'approved'; change: Change; attempt: number }
  | { on: 'committed'; commit: UserCommit }
  | { on: 'taken back'; commit: UserCommit }
  | { on: 'ordered'; order: Order }
  | { on: 'crashed' }
  | { on: 'merged'; chains: readonly Chain[] }
  | { on: 'told to go on' };

/** Plans in a row without time passing, and checks a change: far beyond what any workload needs. */
const ENDLESS = { plans: 2000, checks: 300 };

/** Runs a policy on a workload until every change has come to its end. Throws a `Violation` at the first broken rule. */
export function simulate(workload: Workload, policy: Policy): Totals {
  const run = new Simulation(workload, policy);
  while (run.step()) {}
  return run.totals;
}

class Simulation implements Listener {
  readonly totals: Totals;
  readonly #world: World;
  readonly #policy: Policy;
  readonly #timeline = new Timeline<Event>();
  readonly #roll: () => number;
  #now = 0;
  #merging = false;
  #halted = false;
  #plans = 0;

  constructor(workload: Workload, policy: Policy) {
    this.#world = new World(workload);
    this.#policy = policy;
    this.#roll = dice(`${workload.seed}/runs`);
    this.totals = new Totals(workload);
    for (const change of workload.changes) this.#timeline.add(change.arrives, { on: 'submitted', change, attempt: 1 });
    for (const change of workload.changes)
      if (change.ejectedAt !== undefined) this.#timeline.add(change.ejectedAt, { on: 'ejected', change });
    for (const commit of workload.userCommits) this.#timeline.add(commit.arrives, { on: 'committed', commit });
    for (const order of workload.orders) this.#timeline.add(order.at, { on: 'ordered', order });
    for (const at of workload.crashes) this.#timeline.add(at, { on: 'crashed' });
  }

  /** Lets the next thing happen, and plans. `false`: all is done. */
  step(): boolean {
    const rate = Math.max(1, this.#world.running.length) ** -this.#world.workload.parameters.contention;
    const soonest = this.#world.running.reduce((least, one) => Math.min(least, one.left), Number.POSITIVE_INFINITY) / rate;
    const ends = this.#now + soonest;
    const next = Math.min(ends, this.#timeline.next);
    if (next === Number.POSITIVE_INFINITY) return this.#stop();
    for (const one of this.#world.running) one.left -= (next - this.#now) * rate;
    this.#now = next;
    if (ends <= this.#timeline.next) this.#finish();
    else this.#happens(this.#timeline.take()!);
    // All that arrives at once is seen at once.
    while (this.#timeline.next <= this.#now) this.#happens(this.#timeline.take()!);
    if (!this.#merging) this.#plan();
    return true;
  }

  #stop(): false {
    const { open, workload, landedTasks, gone } = this.#world;
    const waiting = this.#waiting();
    const left = [...open.values()].filter(({ change }) => !waiting.has(change.id)).map(({ id, state }) => `${id} is ${state}`);
    if (left.length > 0) this.#world.cry('nothing is stuck', left.join(', '));
    this.#lookedAt(waiting);
    for (const id of waiting) gone.add(id);
    const odd = workload.changes.find((change) => landedTasks.has(taskOf(change)) === gone.has(change.id));
    if (odd) this.#world.cry('an entry ends once', `${taskOf(odd)} landed and was given up, or neither`);
    return false;
  }

  /** Changes that nobody says yes to, and all that needs them: nothing else may be left. */
  #waiting(): Set<number> {
    const open = [...this.#world.open.values()];
    const waiting = new Set(open.filter(({ awaitsYes }) => awaitsYes).map(({ change }) => change.id));
    for (let size = -1; size < waiting.size; ) {
      size = waiting.size;
      for (const { change } of open) if (change.after.some((needed) => waiting.has(needed))) waiting.add(change.id);
    }
    return waiting;
  }

  /** What only lacks the yes was green, and a person was asked. */
  #lookedAt(waiting: ReadonlySet<number>): void {
    for (const { change, awaitsYes, state } of this.#world.open.values())
      if (awaitsYes && state !== 'held' && !change.after.some((needed) => waiting.has(needed)))
        this.#world.cry('what waits for a yes was checked', `${taskOf(change)} waits for a yes and is ${state}`);
  }

  #submit(change: Change, attempt: number): void {
    this.#world.submit(change, attempt);
    if (change.yesAfter !== undefined && Number.isFinite(change.yesAfter))
      this.#timeline.add(this.#now + change.yesAfter, { on: 'approved', change, attempt });
  }

  /** The check that needs no more time has its answer. */
  #finish(): void {
    const { running, forest, workload } = this.#world;
    const at = running.indexOf(running.reduce((least, one) => (one.left < least.left ? one : least)));
    const [{ tree, check }] = running.splice(at, 1) as [(typeof running)[number]];
    const { errors, flakes } = workload.parameters;
    const [error, flake] = [chance(this.#roll, errors), chance(this.#roll, flakes)];
    const red = forest.isRed(tree, check) || flake;
    this.#world.ran({ tree: tree.id, check, outcome: error ? 'error' : red ? 'fail' : 'pass' });
  }

  #happens(event: Event): void {
    const world = this.#world;
    switch (event.on) {
      case 'submitted':
        if (event.change.after.some((needed) => world.gone.has(needed))) this.#lose(event.change);
        else if (!world.gone.has(event.change.id)) this.#submit(event.change, event.attempt);
        break;
      case 'approved':
        for (const entry of world.open.values())
          if (entry.change.id === event.change.id && entry.attempt === event.attempt) entry.awaitsYes = false;
        break;
      case 'ejected':
        if (!world.gone.has(event.change.id) && !world.landedTasks.has(taskOf(event.change))) this.#lose(event.change);
        break;
      case 'committed':
        if (event.commit.fixedAt !== undefined) this.#timeline.add(event.commit.fixedAt, { on: 'taken back', commit: event.commit });
        world.userCommits(event.commit);
        break;
      case 'taken back':
        world.moveHead(world.forest.without(world.headTree, event.commit.id));
        break;
      case 'ordered':
        world.obey(event.order);
        break;
      case 'crashed':
        world.crash();
        break;
      case 'merged':
        this.#merging = false;
        // With a head moved or an entry ejected meanwhile, the question may make no sense any more.
        for (const chain of event.chains) if (world.canStack(chain)) world.stack(chain);
        break;
      case 'told to go on':
        this.#halted = false;
        world.forgive();
        break;
      default:
        event satisfies never;
    }
  }

  #plan(): void {
    const world = this.#world;
    for (let rounds = 0; ; rounds++) {
      if (rounds > ENDLESS.plans) world.cry('nothing is stuck', 'planning does not come to an end');
      const plan = this.#ask();
      this.#merge(plan.stack);
      const again = carryOut(world, plan, this);
      this.#halt(plan.halted);
      if (!again || this.#merging) return;
    }
  }

  #merge(chains: readonly Chain[]): void {
    const wrong = chains.find((chain) => !this.#world.canStack(chain));
    if (wrong) this.#world.cry('checks are of known trees', `a merge of [${wrong}], and what is before the last is not known to be clean`);
    this.totals.merges += chains.length;
    const cost = chains.length * this.#world.workload.parameters.mergeCost;
    this.#merging = cost > 0;
    if (this.#merging) this.#timeline.add(this.#now + cost, { on: 'merged', chains });
    else for (const chain of chains) this.#world.stack(chain);
  }

  /** Every sixteenth plan is made twice: it has to follow from the snapshot alone. */
  #ask(): QueuePlan {
    const snapshot = this.#world.snapshot();
    const plan = this.#policy(snapshot);
    if (this.#plans++ % 16 === 0 && JSON.stringify(plan) !== JSON.stringify(this.#policy(snapshot)))
      this.#world.cry('same snapshot, same plan', `plan ${this.#plans} was another one when asked again`);
    return plan;
  }

  /** A human comes by after a while, once nothing runs any more. */
  #halt(reason: string | undefined): void {
    const { parameters, userCommits } = this.#world.workload;
    if (reason === undefined || this.#world.running.length > 0 || this.#halted) return;
    if (parameters.flakes + parameters.errors === 0 && userCommits.every(({ fails }) => fails === undefined))
      this.#world.cry('no halt without a cause', reason);
    if (++this.totals.halts > 100 + parameters.changes) this.#world.cry('nothing is stuck', `halted again and again: ${reason}`);
    this.#halted = true;
    this.#timeline.add(this.#now + 1, { on: 'told to go on' });
  }

  started(tree: Tree, check: string): void {
    const { parameters } = this.#world.workload;
    const mean = check.startsWith('own') ? 0.2 : 1 / parameters.checks;
    this.#world.running.push({ tree, check, left: logNormal(this.#roll, mean, parameters.sigma) });
    if (++this.totals.started > ENDLESS.checks * (parameters.changes + parameters.userCommits))
      this.#world.cry('nothing is stuck', 'checks are started again and again');
  }

  landed(entries: Parameters<Listener['landed']>[0]): void {
    this.totals.land(
      entries.map(({ change }) => change),
      this.#now,
    );
  }

  handedBack({ change, attempt }: Parameters<Listener['handedBack']>[0]): void {
    this.totals.handedBack++;
    const back = this.#now + logNormal(this.#roll, 2, this.#world.workload.parameters.sigma);
    this.#timeline.add(back, { on: 'submitted', change, attempt: attempt + 1 });
  }

  rejected({ change }: Parameters<Listener['rejected']>[0], innocent: boolean): void {
    this.totals.reject(innocent, this.#now);
    this.#lose(change);
  }

  /** A change that will never land takes all with it that needs it. */
  #lose(change: Change): void {
    const world = this.#world;
    world.gone.add(change.id);
    for (const [id, entry] of world.open) if (entry.change.id === change.id) world.open.delete(id);
    this.totals.lose(this.#now);
    for (const { change: other } of [...world.open.values()]) if (other.after.includes(change.id)) this.#lose(other);
  }
}
