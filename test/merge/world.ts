import type { ConflictReport } from '../../src/merge/conflict.ts';
import type { planQueue, WantedCheck } from '../../src/merge/plan.ts';
import type { CheckRun, CheckSpec, QueueEntry, QueueSnapshot, Stacked, StackResult } from '../../src/merge/snapshot.ts';
import { ended, step, towards } from '../../src/merge/state.ts';

/** One change in a modelled project: a tree is the set of changes in it. */
export interface Change {
  readonly fault: 'none' | 'bad' | 'contained' | 'unrelated';
  /** Index of an earlier change that it needs, conflicts with as text, or breaks when both are in. */
  readonly after?: number | undefined;
  readonly textual?: number | undefined;
  readonly semantic?: number | undefined;
}

export interface Weather {
  /** For each run in turn: `spurious` fails a green tree, `broken` is trouble of the machine. Never more in a row than is survived. */
  readonly runs: readonly ('fine' | 'spurious' | 'broken')[];
  readonly headRed: boolean;
}

export const RETRIES = 1;
export const CHECKS: CheckSpec[] = ['lint', 'unit'].map((name) => ({ id: name, name, run: name, timeoutMs: 1000, env: {} }));
const HEAD_CHANGES = 'base';

/** Carries plans out on the model and cries at the first broken promise. It knows the truth; the planner sees only runs. */
export class World {
  head = HEAD_CHANGES;
  halted: string | undefined;
  readonly entries: QueueEntry[];
  readonly runs: CheckRun[] = [];
  private readonly stacked: Stacked[] = [];
  private readonly spurious = new Map<string, number>();
  private at = 0;
  private readonly changes: readonly Change[];
  private readonly weather: Weather;

  constructor(changes: readonly Change[], weather: Weather) {
    this.changes = changes;
    this.weather = weather;
    this.entries = changes.map((change, id) => {
      const after = change.after === undefined ? [] : [`default/${change.after}`];
      return { id, task: `default/${id}`, attempt: 1, sha: `s${id}`, after, state: 'queued', at: 0, own: [] };
    });
  }

  snapshot(): QueueSnapshot {
    const landedTasks = new Set(this.entries.filter((one) => one.state === 'landed').map((one) => one.task));
    const { head, entries, stacked, runs } = this;
    return {
      head,
      headTree: head,
      entries,
      landedTasks,
      stacked,
      runs,
      checks: CHECKS,
      running: [],
      retries: RETRIES,
      slots: 1,
      paused: false,
    };
  }

  /** Whether a tree is green in truth. */
  green(tree: string): boolean {
    const parts = tree.split('+').slice(1).map(Number);
    const clash = (id: number) => this.changes[id]!.fault === 'bad' || parts.includes(this.changes[id]!.semantic ?? -1);
    return !this.weather.headRed && !parts.some(clash);
  }

  drive(plan: typeof planQueue): void {
    for (let steps = 0; steps < 50 * (this.changes.length + 2); steps++) if (!this.tick(plan)) return;
    throw new Error('the queue does not come to rest');
  }

  private tick(planner: typeof planQueue): boolean {
    const plan = planner(this.snapshot());
    this.halted = plan.halted;
    for (const one of plan.states) this.move(one.entry, towards(one.state));
    for (const id of plan.contained) this.move(id, { on: 'landed' });
    for (const one of plan.handback) this.move(one.entry, { on: 'conflicted' });
    for (const one of plan.reject) this.reject(one);
    for (const one of plan.land) this.land(one);
    for (const one of plan.stack) this.stacked.push({ head: one.head, sha: one.sha, result: this.merge(one.entry) });
    for (const one of plan.checks) this.run(one);
    return (
      plan.stack.length + plan.checks.length + plan.land.length + plan.reject.length + plan.contained.length + plan.handback.length > 0
    );
  }

  private move(id: number, event: Parameters<typeof step>[1]): void {
    const entry = this.entries[id]!;
    const next = step(entry.state, event);
    if (ended(entry.state) && next) throw new Error('an entry ended twice');
    if (!next) throw new Error(`the plan moves ${id} from ${entry.state} by ${event.on}`);
    this.entries[id] = { ...entry, state: next };
  }

  private merge(id: number): StackResult {
    const change = this.changes[id]!;
    if (change.fault === 'contained') return { kind: 'contained' };
    if (change.fault === 'unrelated') return { kind: 'error', reason: 'shares no history' };
    const ours = this.head.split('+').slice(1).map(Number);
    if (ours.includes(change.textual ?? -1)) return { kind: 'conflict', report: { files: [] as unknown } as ConflictReport };
    return { kind: 'clean', tree: `${this.head}+${id}` };
  }

  private run(wanted: WantedCheck): void {
    const key = `${wanted.tree} ${wanted.check.id}`;
    const weather = this.weather.runs[this.at++ % Math.max(1, this.weather.runs.length)] ?? 'fine';
    const spurious = this.spurious.get(key) ?? 0;
    const broken = this.runs.slice(-2).filter((one) => one.outcome === 'error').length;
    let outcome: CheckRun['outcome'] = this.green(wanted.tree) || wanted.check.id === 'lint' ? 'pass' : 'fail';
    if (weather === 'spurious' && outcome === 'pass' && spurious < RETRIES) {
      outcome = 'fail';
      this.spurious.set(key, spurious + 1);
    }
    if (weather === 'broken' && broken < 2) outcome = 'error';
    this.runs.push({ tree: wanted.tree, check: wanted.check.id, outcome });
  }

  private land(landing: { entries: number[]; tree: string; head: string }): void {
    if (landing.head !== this.head) throw new Error('a landing on a head that has gone');
    if (!this.green(landing.tree)) throw new Error(`a red tree lands: ${landing.tree}`);
    for (const check of CHECKS) {
      const last = this.runs.findLast((run) => run.tree === landing.tree && run.check === check.id && run.outcome !== 'error');
      if (last?.outcome !== 'pass') throw new Error(`an unverified tree lands: ${landing.tree}`);
    }
    for (const id of landing.entries) {
      const { after } = this.changes[id]!;
      if (after !== undefined && this.entries[after]!.state !== 'landed') throw new Error('a landing without what it needs');
      this.move(id, { on: 'landed' });
    }
    this.head = landing.tree;
  }

  private reject(rejection: { entry: number; check: string; tree: string; head: string }): void {
    if (this.green(rejection.tree)) throw new Error(`a good change is rejected: ${rejection.tree}`);
    if (!this.green(rejection.head)) throw new Error(`a change is blamed for a red head: ${rejection.tree}`);
    const reds = this.runs.filter((run) => run.tree === rejection.tree && run.check === rejection.check && run.outcome === 'fail');
    if (reds.length <= RETRIES) throw new Error(`rejected after ${reds.length} red runs`);
    this.move(rejection.entry, { on: 'rejected' });
  }
}
