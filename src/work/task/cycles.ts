import type { Placed } from './derive.ts';
import { compareIds } from './id.ts';

/** One cycle for each knot (strongly connected set) among `rest`; each starts at its smallest id. */
export function findCycles<T extends Placed>(rest: ReadonlySet<T>, needs: ReadonlyMap<T, readonly T[]>): T[][] {
  const inside = (task: T) => needs.get(task)!.filter((other) => rest.has(other));
  return knots([...rest].sort(byId), inside)
    .map((knot) => walkRound(knot, inside))
    .sort((a, b) => byId(a[0]!, b[0]!));
}

interface Visit<T> {
  task: T;
  /** The needs that are still to be looked at. */
  left: T[];
  low: number;
}

/** Tarjan's algorithm with its own stack. A single task is a knot only if it waits for itself. */
function knots<T>(tasks: readonly T[], needsOf: (task: T) => T[]): T[][] {
  const number = new Map<T, number>();
  const open = new Set<T>();
  const path: T[] = [];
  const found: T[][] = [];
  const visit = (task: T): Visit<T> => {
    number.set(task, number.size);
    open.add(task);
    path.push(task);
    return { task, left: needsOf(task), low: number.get(task)! };
  };
  for (const start of tasks) {
    const stack = number.has(start) ? [] : [visit(start)];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const next = top.left.pop();
      if (next !== undefined) {
        if (!number.has(next)) stack.push(visit(next));
        else if (open.has(next)) top.low = Math.min(top.low, number.get(next)!);
        continue;
      }
      stack.pop();
      const below = stack.at(-1);
      if (below) below.low = Math.min(below.low, top.low);
      if (top.low !== number.get(top.task)) continue;
      const knot = path.splice(path.lastIndexOf(top.task));
      for (const task of knot) open.delete(task);
      if (knot.length > 1 || needsOf(top.task).includes(top.task)) found.push(knot);
    }
  }
  return found;
}

/** Walks from the smallest id along first needs until a task comes again, which always happens inside a knot. */
function walkRound<T extends Placed>(knot: readonly T[], needsOf: (task: T) => T[]): T[] {
  const members = new Set(knot);
  const place = new Map<T, number>();
  const walk: T[] = [];
  let at = [...knot].sort(byId)[0]!;
  while (!place.has(at)) {
    place.set(at, walk.length);
    walk.push(at);
    at = needsOf(at)
      .filter((other) => members.has(other))
      .sort(byId)[0]!;
  }
  const round = walk.slice(place.get(at)!);
  const first = round.indexOf([...round].sort(byId)[0]!);
  return [...round.slice(first), ...round.slice(0, first)];
}

export function byId(a: Pick<Placed, 'id' | 'phase'>, b: Pick<Placed, 'id' | 'phase'>): number {
  return compareIds(a.id, b.id) || (a.phase < b.phase ? -1 : a.phase > b.phase ? 1 : 0);
}
