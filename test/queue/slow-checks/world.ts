import { planSlowChecks } from '../../../src/queue/slow-checks/plan.ts';
import type { Evidence, SlowCheckPlan, SlowCheckSnapshot, SlowCheckStep } from '../../../src/queue/slow-checks/snapshot.ts';
import type { CheckRun, CheckSpec } from '../../../src/queue/snapshot.ts';

export const slow: CheckSpec = { id: 'slow', name: 'slow', run: 'make slow', timeoutMs: 1000, env: {} };
export const soak: CheckSpec = { ...slow, id: 'soak', name: 'soak' };

export interface Habits {
  /** Whether a state passes, told by the tasks that it has. */
  readonly passes: (tasks: readonly string[], check: string) => boolean;
  readonly retries?: number;
  readonly checks?: readonly CheckSpec[];
  /** What a run answers, given what it should: for flakes and machines in trouble. */
  readonly run?: (truth: 'pass' | 'fail') => CheckRun['outcome'];
  readonly plan?: (snapshot: SlowCheckSnapshot) => SlowCheckPlan;
}

/**
 * A farm in miniature: a state is the tasks that it has, so taking one back is leaving it out. Without git it can try
 * thousands of histories.
 */
export class World {
  readonly runs: CheckRun[] = [];
  readonly reverted: Evidence[] = [];
  readonly whys: string[] = [];
  halted: string | undefined;
  private base: readonly string[] = [];
  private steps: { task: string | null; whole: boolean }[] = [];
  private readonly habits: Habits;

  constructor(habits: Habits) {
    this.habits = habits;
  }

  /** One landing of so many tasks; null is a commit of the user's. */
  land(...tasks: (string | null)[]): void {
    for (const [at, task] of tasks.entries()) this.steps.push({ task, whole: at === tasks.length - 1 });
  }

  get newest(): readonly string[] {
    return this.tasksAt(this.steps.length);
  }

  private tasksAt(at: number): string[] {
    return [...this.base, ...this.steps.slice(0, at).map((step, n) => step.task ?? `user-${n}`)];
  }

  snapshot(): SlowCheckSnapshot {
    const state = (at: number) => ({ commit: `c:${this.tasksAt(at).join()}`, tree: `t:${this.tasksAt(at).join()}` });
    const steps = this.steps.map(({ task, whole }, at): SlowCheckStep => {
      return { ...state(at + 1), landed: `l:${task ?? at}`, task, entry: at, what: task ?? 'your commit', whole };
    });
    const { checks = [slow], retries = 1 } = this.habits;
    return { base: state(0), steps, runs: this.runs, checks, retries, running: [], reverts: [] };
  }

  /** One look, carried out to its end: a run, or a revert that lands at once. `false`: nothing was wanted. */
  turn(): boolean {
    const snapshot = this.snapshot();
    const plan = (this.habits.plan ?? planSlowChecks)(snapshot);
    this.halted = plan.halted;
    if (plan.revert) this.takeBack(plan.revert.evidence);
    else if (plan.check) this.run(plan.check);
    else if (plan.good) this.follow(snapshot.steps.indexOf(plan.good) + 1);
    else return false;
    return true;
  }

  /** Until it comes to rest; the number of runs that took. */
  settle(most = 500): number {
    const before = this.runs.length;
    for (let turns = 0; this.turn(); turns++) if (turns > most) throw new Error('does not come to rest');
    return this.runs.length - before;
  }

  private takeBack(evidence: Evidence): void {
    this.reverted.push(evidence);
    this.steps = this.steps.filter((step) => step.task !== evidence.bad.task);
  }

  private run({ tree, check, why }: NonNullable<SlowCheckPlan['check']>): void {
    const tasks = tree.slice(2).split(',').filter(Boolean);
    const truth = this.habits.passes(tasks, check.id) ? 'pass' : 'fail';
    this.whys.push(why);
    this.runs.push({ id: this.runs.length + 1, tree, check: check.id, outcome: this.habits.run?.(truth) ?? truth });
  }

  private follow(to: number): void {
    this.base = this.tasksAt(to);
    this.steps = this.steps.slice(to);
  }
}
