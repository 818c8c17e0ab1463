import { indexTasks, type Placed, resolve } from '../../work/task/derive.ts';

/** A task that builds on one that was taken back. */
interface Fallen {
  readonly task: string;
  readonly standing: 'landed' | 'leased' | 'submitted';
  /** For people, and for the agent at work on it. */
  readonly text: string;
}

/**
 * The tasks that landed, were submitted or began because the culprit had landed: everything that depends on it, directly or not. A task
 * that only waits will wait again by itself.
 */
export function buildsOnReverted(tasks: readonly Placed[], culprit: string): Fallen[] {
  const index = indexTasks(tasks);
  const dependents = new Map<string, Placed[]>();
  for (const task of tasks) {
    for (const name of task.dependsOn) {
      const needed = resolve(index, task, name)?.ref;
      if (needed !== undefined) dependents.set(needed, [...(dependents.get(needed) ?? []), task]);
    }
  }
  const cause = tasks.find((task) => task.ref === culprit);
  const through = new Map<string, Placed | undefined>([[culprit, undefined]]);
  const found: Fallen[] = [];
  const line = [culprit];
  for (const ref of line) {
    for (const task of dependents.get(ref) ?? []) {
      if (through.has(task.ref)) continue;
      const by = tasks.find((one) => one.ref === ref && ref !== culprit);
      through.set(task.ref, by);
      line.push(task.ref);
      const { standing } = task;
      if (standing === 'open' || standing === 'parked') continue;
      found.push({ task: task.ref, standing, text: sentence(task, standing, cause?.id ?? culprit, by) });
    }
  }
  return found;
}

const SAYS = {
  landed: 'has landed: check that it still works',
  submitted: 'is in the queue: it is checked without it',
  leased: 'is being worked on: what it builds on is gone from the target for now',
};

function sentence(task: Placed, standing: Fallen['standing'], cause: string, by: Placed | undefined): string {
  return `${task.id} depends on ${cause}${by ? ` (through ${by.id})` : ''}, which was taken back, and ${SAYS[standing]}`;
}
