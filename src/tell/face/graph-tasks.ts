import type { GraphItem } from './graph.ts';

/** The task of a board as the graph needs it: `id` is unique over all phases. */
interface GraphTask extends GraphItem {
  readonly landed: boolean;
}

/** Stands for all landed tasks that something waited for. */
export const LANDED = '\0landed';

/** One node in place of all landed tasks; those that waited for any of them wait for it. */
export function foldLanded(tasks: readonly GraphTask[]): GraphItem[] {
  const landed = new Set(tasks.filter((task) => task.landed).map(({ id }) => id));
  const open = tasks.filter(({ id }) => !landed.has(id));
  const items = open.map(({ id, after }) => ({ id, after: [...new Set(after.map((on) => (landed.has(on) ? LANDED : on)))] }));
  return items.some(({ after }) => after.includes(LANDED)) ? [{ id: LANDED, after: [] }, ...items] : items;
}

/** The longest chain of tasks that have not landed, each waiting for the one before: the work cannot end sooner. None for a single task. */
export function criticalPath(tasks: readonly GraphTask[]): string[] {
  const open = new Map(tasks.filter(({ landed }) => !landed).map((task) => [task.id, task]));
  const best = new Map<string, { readonly length: number; readonly from: string | undefined }>();
  const under = new Set<string>();
  for (const start of open.keys()) {
    // Without recursion: a chain may be as long as the board.
    const path = [start];
    while (path.length > 0) {
      const id = path.at(-1)!;
      under.add(id);
      const waits = open.get(id)!.after.filter((on) => open.has(on) && on !== id);
      const next = best.has(id) ? undefined : waits.find((on) => !best.has(on) && !under.has(on));
      if (next !== undefined) {
        path.push(next);
        continue;
      }
      path.pop();
      under.delete(id);
      if (best.has(id)) continue;
      const from = waits.filter((on) => best.has(on)).toSorted((a, b) => best.get(b)!.length - best.get(a)!.length)[0];
      best.set(id, { length: 1 + (from === undefined ? 0 : best.get(from)!.length), from });
    }
  }
  const ends = [...best].toSorted(([, a], [, b]) => b.length - a.length)[0];
  if (!ends || ends[1].length < 2) return [];
  const chain: string[] = [];
  for (let at: string | undefined = ends[0]; at !== undefined; at = best.get(at)?.from) chain.unshift(at);
  return chain;
}
