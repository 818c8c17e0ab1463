import type { QueueEntry } from './snapshot.ts';
import { ended } from './state.ts';

export interface Order {
  /** Entries that may land, each behind everything it needs. */
  readonly line: readonly QueueEntry[];
  /** Entries that may not, with the tasks that are neither landed nor ahead. */
  readonly waiting: readonly { readonly entry: QueueEntry; readonly missing: readonly string[] }[];
}

/** First come, first served, except that nothing stands before what it needs. A cycle leaves its members waiting. */
export function orderOf(entries: readonly QueueEntry[], landed: ReadonlySet<string>): Order {
  const line: QueueEntry[] = [];
  const done = new Set(landed);
  let left = entries.filter((entry) => !ended(entry.state)).sort((a, b) => a.at - b.at || a.id - b.id);
  for (;;) {
    const next = left.find((entry) => entry.after.every((task) => done.has(task)));
    if (!next) break;
    line.push(next);
    done.add(next.task);
    left = left.filter((entry) => entry !== next);
  }
  return { line, waiting: left.map((entry) => ({ entry, missing: entry.after.filter((task) => !done.has(task)) })) };
}
