import { findCycles } from './cycles.ts';
import { indexTasks, isSatisfied, type Placed, resolve, stateOf, type TaskIndex, type TaskState } from './derive.ts';

export interface Graph<T extends Placed = Placed> {
  readonly index: TaskIndex<T>;
  /** The tasks that are not yet satisfied, dependencies before dependents; those in or behind a cycle are left out. */
  readonly order: readonly T[];
  /** For each unsatisfied task, the unsatisfied tasks that it waits for. */
  readonly needs: ReadonlyMap<T, readonly T[]>;
  /** Names of dependencies that match no task of the board, or several. */
  readonly missing: ReadonlyMap<T, readonly string[]>;
  /** One cycle for each knot of tasks that wait for each other, from its smallest id; each task waits for the next. */
  readonly cycles: readonly (readonly T[])[];
  readonly inCycle: ReadonlyMap<T, readonly T[]>;
  /** Number of unsatisfied tasks on the longest chain of dependents that starts here, itself included. */
  readonly pathLength: ReadonlyMap<T, number>;
}

/** A tick plans, explains and judges from one snapshot: its graph (15 ms for 10,000 tasks) is made once. */
const made = new WeakMap<readonly Placed[], Graph>();

export function graphOf<T extends Placed>(tasks: readonly T[]): Graph<T> {
  const graph = (made.get(tasks) as Graph<T> | undefined) ?? makeGraph(tasks);
  made.set(tasks, graph as unknown as Graph);
  return graph;
}

/** Everything that follows from the dependencies, in one pass over tasks and edges. Not recursive: chains may be 10,000 long. */
function makeGraph<T extends Placed>(tasks: readonly T[]): Graph<T> {
  const index = indexTasks(tasks);
  const needs = new Map<T, T[]>();
  const missing = new Map<T, string[]>();
  for (const task of tasks) {
    if (isSatisfied(task)) continue;
    const waitsFor: T[] = [];
    for (const name of task.dependsOn) {
      const other = resolve(index, task, name);
      if (!other) missing.set(task, [...(missing.get(task) ?? []), name]);
      else if (!isSatisfied(other)) waitsFor.push(other);
    }
    needs.set(task, waitsFor);
  }
  const dependents = reverse(needs);
  const order = topological(needs, dependents);
  const rest = new Set(needs.keys());
  for (const task of order) rest.delete(task);
  const cycles = findCycles(rest, needs);
  const inCycle = new Map<T, readonly T[]>();
  for (const cycle of cycles) for (const task of cycle) inCycle.set(task, cycle);
  return { index, order, needs, missing, cycles, inCycle, pathLength: pathLengths(order, dependents) };
}

/**
 * Removes a landed task from the kept graph of these tasks, if nothing else changes; `false`: make the graph again. Landings change a graph
 * most often, and making it takes 2 MB with 5,000 tasks.
 */
export function leaveGraph<T extends Placed>(tasks: readonly T[], task: T): boolean {
  const graph = made.get(tasks) as Graph<T> | undefined;
  if (!graph) return true;
  // The tasks that it still waited for had a longer path through it.
  if (graph.inCycle.has(task) || graph.missing.has(task) || graph.needs.get(task)?.length !== 0) return false;
  const { needs, order, pathLength } = graph as unknown as { needs: Map<T, T[]>; order: T[]; pathLength: Map<T, number> };
  needs.delete(task);
  pathLength.delete(task);
  const at = order.indexOf(task);
  if (at >= 0) order.splice(at, 1);
  for (const waitsFor of needs.values()) {
    const place = waitsFor.indexOf(task);
    if (place >= 0) waitsFor.splice(place, 1);
  }
  return true;
}

/** A task's state without looking its dependencies up again. */
export function stateIn<T extends Placed>(graph: Graph<T>, task: T): TaskState {
  return stateOf(task, () => graph.missing.has(task) || (graph.needs.get(task)?.length ?? 0) > 0);
}

/** `2 → 5 → 2`; with full refs when it crosses phases. */
export function cycleText(cycle: readonly Placed[]): string {
  const onePhase = cycle.every((task) => task.phase === cycle[0]?.phase);
  return [...cycle, cycle[0]!].map((task) => (onePhase ? task.id : task.ref)).join(' → ');
}

function reverse<T>(needs: ReadonlyMap<T, readonly T[]>): Map<T, T[]> {
  const dependents = new Map<T, T[]>();
  for (const [task, others] of needs) {
    for (const other of others) {
      const known = dependents.get(other);
      if (known) known.push(task);
      else dependents.set(other, [task]);
    }
  }
  return dependents;
}

function topological<T>(needs: ReadonlyMap<T, readonly T[]>, dependents: ReadonlyMap<T, readonly T[]>): T[] {
  const open = new Map<T, number>();
  const order: T[] = [];
  for (const [task, others] of needs) {
    if (others.length === 0) order.push(task);
    else open.set(task, others.length);
  }
  for (let n = 0; n < order.length; n++) {
    for (const dependent of dependents.get(order[n]!) ?? []) {
      const left = open.get(dependent)! - 1;
      open.set(dependent, left);
      if (left === 0) order.push(dependent);
    }
  }
  return order;
}

function pathLengths<T>(order: readonly T[], dependents: ReadonlyMap<T, readonly T[]>): Map<T, number> {
  const length = new Map<T, number>();
  for (let n = order.length - 1; n >= 0; n--) {
    let longest = 0;
    for (const dependent of dependents.get(order[n]!) ?? []) longest = Math.max(longest, length.get(dependent) ?? 0);
    length.set(order[n]!, longest + 1);
  }
  return length;
}
