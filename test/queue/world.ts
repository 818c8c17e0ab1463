import type { planQueue, QueuePlan } from '../../src/queue/plan.ts';
import { type CheckRun, NO_NOTES, type QueueEntry } from '../../src/queue/snapshot.ts';
import { ended, step, towards } from '../../src/work/entry/state.ts';
import { Bench, check, entry } from './bench.ts';

/** One change in a modelled project. */
export interface Change {
  readonly fault: 'none' | 'bad' | 'contained' | 'unrelated';
  /** Index of an earlier change that it needs, conflicts with as text, or breaks when both are in. */
  readonly after?: number | undefined;
  readonly textual?: number | undefined;
  /** The conflict is none where this one is in: two did the same, and one of them stands on the other. */
  readonly bridge?: number | undefined;
  readonly semantic?: number | undefined;
  /** Its task has a check of its own. */
  readonly own: boolean;
  readonly priority: number;
}

/** What happens next: a check ends, or something from outside. */
export type Happening =
  | { on: 'check'; which: number; how: 'fine' | 'spurious' | 'broken' }
  | { on: 'forget' }
  | { on: 'commit'; red: boolean }
  | { on: 'cancel'; which: number }
  | { on: 'slots'; slots: number };

export interface Weather {
  readonly happenings: readonly Happening[];
  readonly slots: number;
  readonly batch: number;
  readonly retries: number;
  /** Notes are lost before every single plan. */
  readonly forgetful: boolean;
}

/** Carries plans out on the model and cries at the first broken promise. It knows the truth; the planner sees only runs. */
export class World {
  readonly bench: Bench;
  /** All entries, with the ended ones. */
  readonly all: QueueEntry[];
  readonly heads: string[] = ['base'];
  halts = 0;
  private readonly spurious = new Map<string, number>();
  private readonly errors = new Map<string, number>();
  private readonly changes: readonly Change[];
  private readonly weather: Weather;

  constructor(changes: readonly Change[], weather: Weather) {
    this.changes = changes;
    this.weather = weather;
    this.all = changes.map(({ after, own, priority }, id) => {
      const needs = after === undefined ? [] : [`default/${after}`];
      return entry(id, { after: needs, own: own ? [check(`own-${id}`)] : [], priority, at: 0 });
    });
    const { slots, batch, retries } = weather;
    this.bench = new Bench([...this.all], { slots, batch, retries, checks: [check('lint'), check('unit')] });
    const contained = changes.flatMap(({ fault }, id) => (fault === 'contained' ? [id] : []));
    this.bench.headTree = this.heads[0] = ['base', ...contained].join('+');
    for (const [id, { textual, bridge, fault }] of changes.entries()) {
      if (textual !== undefined) this.bench.clashes.push([id, textual, bridge]);
      if (fault === 'unrelated') this.bench.unrelated.add(id);
    }
  }

  /** Whether a check passes on a tree in truth. A broken head breaks everything on it. */
  passes(tree: string, name: string): boolean {
    const parts = tree.split('+').slice(1);
    if (name === 'lint') return true;
    if (parts.includes('red')) return false;
    const bad = (id: number) => {
      const { fault, semantic } = this.changes[id]!;
      return fault === 'bad' || (fault !== 'contained' && parts.includes(String(semantic)));
    };
    if (name.startsWith('own-')) return this.changes[Number(name.slice(4))]!.fault !== 'bad';
    return !parts.filter((part) => /^\d+$/.test(part)).some((part) => bad(Number(part)));
  }

  /** Until nothing can move any more: first what the weather brings, then one check after the other. */
  drive(planner: typeof planQueue): void {
    for (const happening of this.weather.happenings) {
      this.settle(planner);
      this.happens(happening);
    }
    for (let steps = 0; steps < 60 * (this.changes.length + 3); steps++) {
      this.settle(planner);
      const [run] = this.bench.running;
      if (run) this.ends(run, 'fine');
      else if (!this.heals(planner)) return;
    }
    throw new Error('the queue does not come to rest');
  }

  /** Plans until a plan has nothing more to decide. */
  private settle(planner: typeof planQueue): void {
    for (let steps = 0; steps < 20 * (this.changes.length + 3); steps++) {
      if (this.weather.forgetful) this.bench.notes = NO_NOTES;
      const before = this.bench.running.length;
      const plan = this.bench.plan(planner);
      if (plan.checks.length > 0 && before - plan.cancel.length + plan.checks.length > this.bench.settings.slots)
        throw new Error('more checks than slots');
      if (!this.carryOut(plan)) return;
    }
    throw new Error('planning does not come to rest');
  }

  private carryOut(plan: QueuePlan): boolean {
    for (const one of plan.states) this.move(one.entry, towards(one.state));
    for (const one of plan.reject) this.reject(one);
    for (const id of plan.contained) {
      this.bench.landedTasks.add(this.all[id]!.task);
      this.move(id, { on: 'landed' });
    }
    for (const one of [...plan.handback, ...plan.refuse]) this.move(one.entry, { on: 'conflicted' });
    if (plan.land) this.land(plan.land);
    return plan.land !== undefined || plan.reject.length + plan.contained.length + plan.handback.length + plan.refuse.length > 0;
  }

  private happens(happening: Happening): void {
    const { bench } = this;
    if (happening.on === 'forget') bench.notes = NO_NOTES;
    if (happening.on === 'slots') bench.settings = { ...bench.settings, slots: happening.slots };
    if (happening.on === 'commit') this.commits(happening.red ? 'red' : `u${bench.heads}`);
    const run = happening.on === 'check' ? bench.running[happening.which % Math.max(1, bench.running.length)] : undefined;
    if (happening.on === 'check' && run) this.ends(run, happening.how);
    if (happening.on === 'cancel' && bench.entries.length > 0)
      this.move(bench.entries[happening.which % bench.entries.length]!.id, { on: 'cancelled' });
  }

  private commits(part: string): void {
    if (this.bench.headTree.split('+').includes(part)) return;
    this.bench.userCommits(part);
    this.heads.push(this.bench.headTree);
  }

  /** Spurious reds are few enough for the truth to decide: no open entry, and no head, has more of them than the retries. */
  private ends(run: { tree: string; check: string }, how: 'fine' | 'spurious' | 'broken'): void {
    const parts = run.tree.split('+');
    const open = this.bench.entries.filter(({ id }) => parts.includes(String(id)));
    const subjects = [run.tree, ...open.map(({ id }) => `${id}`)].map((subject) => `${subject} ${run.check}`);
    const seen = Math.max(...subjects.map((subject) => this.spurious.get(subject) ?? 0));
    const broken = this.errors.get(`${run.tree} ${run.check}`) ?? 0;
    let outcome: CheckRun['outcome'] = this.passes(run.tree, run.check) ? 'pass' : 'fail';
    if (how === 'spurious' && outcome === 'pass' && seen < this.weather.retries) {
      outcome = 'fail';
      for (const subject of subjects) this.spurious.set(subject, (this.spurious.get(subject) ?? 0) + 1);
    }
    if (how === 'broken' && broken < 4) {
      outcome = 'error';
      this.errors.set(`${run.tree} ${run.check}`, broken + 1);
    }
    this.bench.ran(run, outcome);
  }

  /** The head, now or then, on which the entry stands alone in this tree. */
  private headUnder(id: number, tree: string): string | undefined {
    const parts = tree.split('+');
    const rest = parts.filter((part) => part !== String(id));
    return rest.length < parts.length ? this.heads.find((head) => head === rest.join('+')) : undefined;
  }

  /** A halted line is told to go on once by leaving out what was red; then the user mends the head. */
  private heals(planner: typeof planQueue): boolean {
    const plan = this.bench.plan(planner);
    if (plan.halted === undefined) return plan.checks.length > 0;
    if (!this.bench.headTree.includes('red')) throw new Error(`halted without cause: ${plan.halted}`);
    const { headTree } = this.bench;
    if (this.halts++ % 2 === 0) this.bench.runs = this.bench.runs.filter((run) => run.tree !== headTree || run.outcome === 'pass');
    else {
      this.bench.moveHead(headTree.replace('+red', ''));
      this.heads.push(this.bench.headTree);
    }
    return true;
  }

  private move(id: number, event: Parameters<typeof step>[1]): void {
    const one = this.all[id]!;
    const next = step(one.state, event);
    if (ended(one.state)) throw new Error(`entry ${id} ended twice`);
    if (!next) throw new Error(`the plan moves ${id} from ${one.state} by ${event.on}`);
    this.all[id] = { ...one, state: next };
    this.bench.entries = this.all.filter(({ state }) => !ended(state));
  }

  private land(landing: NonNullable<QueuePlan['land']>): void {
    const { bench } = this;
    if (landing.head !== `h${bench.heads}` || landing.tree !== bench.tree(landing.entries)) throw new Error('another tree lands');
    const own = landing.entries.flatMap((id) => this.all[id]!.own);
    for (const one of [...bench.settings.checks, ...own]) {
      const last = bench.runs.findLast((run) => run.tree === landing.tree && run.check === one.id && run.outcome !== 'error');
      if (last?.outcome !== 'pass') throw new Error(`an unverified tree lands: ${landing.tree}`);
      if (!this.passes(landing.tree, one.id)) throw new Error(`a red tree lands: ${landing.tree}`);
    }
    const done = new Set(bench.landedTasks);
    for (const id of landing.entries) {
      if (!this.all[id]!.after.every((task) => done.has(task))) throw new Error('a landing without what it needs');
      done.add(this.all[id]!.task);
      this.move(id, { on: 'landed' });
    }
    for (const id of landing.entries) bench.landedTasks.add(this.all[id]!.task);
    bench.land(landing);
    this.heads.push(bench.headTree);
  }

  private reject({ entry: id, check: name, runs }: QueuePlan['reject'][number]): void {
    const reds = new Set(runs).size;
    if (reds <= this.weather.retries) throw new Error(`rejected after ${reds} red runs`);
    for (const run of this.bench.runs.filter((one) => runs.includes(one.id))) {
      const head = this.headUnder(id, run.tree);
      if (head === undefined || run.check !== name || run.outcome !== 'fail') throw new Error('a rejection without evidence');
      if (!name.startsWith('own-') && !this.passes(head, name)) throw new Error(`a change is blamed for a red head: ${run.tree}`);
    }
    const { tree } = this.bench.runs.find((one) => one.id === runs.at(-1)) ?? { tree: '' };
    if (this.passes(tree, name)) throw new Error(`a good change is rejected: ${tree}`);
    const passed = this.bench.runs.some((run) => run.check === name && run.outcome === 'pass' && run.id > runs[0]!);
    if (!name.startsWith('own-') && !passed) throw new Error('a rejection without proof that the machine is healthy');
    this.move(id, { on: 'rejected' });
  }
}
