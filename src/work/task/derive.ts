import { splitRef } from './id.ts';
import type { Standing } from './state.ts';

export type TaskState = 'waiting' | 'ready' | 'leased' | 'submitted' | 'landed' | 'parked' | 'blocked' | 'archived';

/** The facts that a task's state is derived from. */
export interface Placed {
  readonly ref: string;
  readonly id: string;
  readonly phase: string;
  readonly status: string;
  readonly dependsOn: readonly string[];
  readonly blocked: boolean;
  readonly standing: Standing;
  readonly attempt: number;
  /** The time since when its file is not on the board; null while it is. */
  readonly missing: number | null;
  /** The person who took it over from the agents. */
  readonly taken?: string | null;
}

export interface TaskIndex<T extends Placed = Placed> {
  /** By phase, then by id: joining the two into a ref for each look-up doubled the cost of the graph. */
  readonly byPhase: ReadonlyMap<string, ReadonlyMap<string, T>>;
  /** By id, for ids that only one task of the board has; `null` for those that several have. */
  readonly byId: ReadonlyMap<string, T | null>;
}

export function indexTasks<T extends Placed>(tasks: readonly T[]): TaskIndex<T> {
  const byPhase = new Map<string, Map<string, T>>();
  const byId = new Map<string, T | null>();
  for (const task of tasks) {
    const phase = byPhase.get(task.phase) ?? new Map<string, T>();
    byPhase.set(task.phase, phase.set(task.id, task));
    byId.set(task.id, byId.has(task.id) ? null : task);
  }
  return { byPhase, byId };
}

/** The task that a dependency means: in the same phase, else by its full ref, else the only one with that id on the board. */
export function resolve<T extends Placed>(index: TaskIndex<T>, from: Pick<Placed, 'phase'>, name: string): T | undefined {
  if (name.includes('/')) {
    const { phase, id } = splitRef(name);
    return index.byPhase.get(phase)?.get(id);
  }
  return index.byPhase.get(from.phase)?.get(name) ?? index.byId.get(name) ?? undefined;
}

/** True when tasks that depend on it may start: it landed, a person marked it done, or it was archived. */
export function isSatisfied(task: Pick<Placed, 'standing' | 'status'>): boolean {
  if (task.standing === 'landed') return true;
  if (task.standing === 'leased' || task.standing === 'submitted') return false;
  return task.status === 'done' || task.status === 'archived';
}

/**
 * True when a person took it over, or it is in progress on the board although furrow never gave it to an agent: somebody does it by hand.
 */
export function isHeldByPerson(task: Pick<Placed, 'standing' | 'status' | 'attempt' | 'taken'>): boolean {
  if (task.standing !== 'open') return false;
  return Boolean(task.taken) || (task.attempt === 0 && (task.status === 'in-progress' || task.status === 'review'));
}

export function taskState(task: Placed, index: TaskIndex): TaskState {
  return stateOf(task, () => !task.dependsOn.every((name) => satisfied(index, task, name)));
}

/** The only definition of "ready" and of every other state, for callers that already know whether it waits. */
export function stateOf(task: Placed, waits: () => boolean): TaskState {
  if (task.standing === 'leased' || task.standing === 'submitted') return task.standing;
  if (task.status === 'archived') return 'archived';
  if (task.standing === 'landed' || task.status === 'done') return 'landed';
  if (task.standing === 'parked') return 'parked';
  if (task.blocked) return 'blocked';
  if (isHeldByPerson(task)) return 'leased';
  if (task.missing !== null) return 'waiting';
  return waits() ? 'waiting' : 'ready';
}

function satisfied(index: TaskIndex, task: Placed, name: string): boolean {
  const other = resolve(index, task, name);
  return other !== undefined && isSatisfied(other);
}
