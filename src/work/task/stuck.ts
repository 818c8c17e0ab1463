import { isHeldByPerson, isSatisfied } from './derive.ts';
import type { DispatchSnapshot, PlanTask } from './dispatch.ts';
import { explain } from './explain.ts';
import { graphOf } from './graph.ts';
import { openPlaces } from './wip-limits.ts';

interface Verdict {
  /** The tasks that have not landed, and why; empty when all have. */
  readonly left: { ref: string; reason: string }[];
}

/** True when somebody works on it, or it is in the queue and can land from there. */
const isUnderWay = (snapshot: DispatchSnapshot, task: PlanTask) =>
  (task.standing === 'leased' || task.standing === 'submitted') && !snapshot.vain?.(task);

/** The tasks that move without a person: those under way, and those that start when everything they wait for has moved. */
export function movable(snapshot: DispatchSnapshot): Set<PlanTask> {
  const graph = graphOf(snapshot.tasks);
  const moving = new Set<PlanTask>();
  // Places that people hold become free only when they say so; those of agents become free by themselves.
  const places = openPlaces(snapshot, (task) => !isUnderWay(snapshot, task));
  for (const task of graph.order) {
    const open =
      task.standing === 'open' &&
      task.missing === null &&
      !task.blocked &&
      !isHeldByPerson(task) &&
      !snapshot.held?.(task) &&
      !snapshot.claim?.(task) &&
      !places.full(task) &&
      snapshot.activePhases.has(task.phase);
    const waits = graph.missing.has(task) || !graph.needs.get(task)!.every((other) => moving.has(other));
    if (isUnderWay(snapshot, task) || (open && !waits)) moving.add(task);
  }
  return moving;
}

/**
 * The verdict that no task of the active phases (or of one) can start any more; `undefined` while one can. A task can move if it runs, is
 * in the queue, or could start once everything it waits for, in any phase, has moved. `busy`: something outside the snapshot is still under
 * way.
 */
export function stuck(snapshot: DispatchSnapshot, now: number, busy: boolean, phase?: string): Verdict | undefined {
  if (busy) return undefined;
  const inScope = (task: PlanTask) => (phase === undefined ? snapshot.activePhases.has(task.phase) : task.phase === phase);
  const moving = movable(snapshot);
  // Tasks in or behind a cycle are not in the order, but an attempt on one may still run.
  const runs = (task: PlanTask) => isUnderWay(snapshot, task);
  if (snapshot.tasks.some((task) => inScope(task) && (moving.has(task) || runs(task)))) return undefined;
  const reasons = explain(snapshot, now);
  const left = snapshot.tasks.filter((task) => inScope(task) && !isSatisfied(task));
  return { left: left.map((task) => ({ ref: task.ref, reason: (reasons.get(task.ref) ?? []).map((reason) => reason.text).join('; ') })) };
}
