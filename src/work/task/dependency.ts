import { indexTasks, type Placed, resolve } from './derive.ts';

/**
 * Makes a function that says why a task cannot wait for another one: it does not exist, its name is ambiguous, or it already waits for this
 * task.
 */
export function dependencyCheck(
  tasks: readonly Placed[],
  from: { readonly phase: string; readonly ref?: string },
): (name: string) => string | undefined {
  const index = indexTasks(tasks);
  return (name) => {
    const other = resolve(index, from, name);
    if (!other && index.byId.get(name) === null) return `several phases have a task ${name}: write phase/id`;
    if (!other) return `there is no task ${name}`;
    if (other.ref === from.ref) return 'a task cannot wait for itself';
    const round =
      from.ref === undefined ? undefined : wayTo(other, from.ref, (task) => task.dependsOn.map((one) => resolve(index, task, one)));
    return round && `it waits for this task: ${round.map((task) => task.id).join(' waits for ')}`;
  };
}

/** The chain of tasks from one to another, each waiting for the next; `undefined` when there is none. */
function wayTo(start: Placed, ref: string, needs: (task: Placed) => (Placed | undefined)[]): Placed[] | undefined {
  const seen = new Set([start]);
  const open: Placed[][] = [[start]];
  for (let way = open.pop(); way; way = open.pop()) {
    const last = way.at(-1)!;
    if (last.ref === ref) return way;
    for (const next of needs(last)) {
      if (!next || seen.has(next)) continue;
      seen.add(next);
      open.push([...way, next]);
    }
  }
  return undefined;
}
