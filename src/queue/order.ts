import { type Experience, type Mark, NO_MARK, riskOf } from './risk.ts';
import type { QueueEntry } from './snapshot.ts';

/** After quarantine cleared an entry this often, and still every stack with it was red, it is checked alone. */
const ALONE = 2;
const RISKY = 0.15;
/** An entry that was overtaken this often goes before all others, whatever its priority. */
const STARVING = 64;

export const ridesAlone = (mark: Mark | undefined) => (mark?.cleared ?? 0) >= ALONE;

/**
 * Sorts the entries by who is taken first: by priority, then those that are checked alone, then the safe ones, then the rest; first come,
 * first served among equals. An entry's requirements get its place. The chain ensures that nothing lands before its requirements.
 */
export function orderOf(entries: readonly QueueEntry[], experience: Experience, marks: ReadonlyMap<number, Mark>): QueueEntry[] {
  const rank = inherited(entries, overtaken(entries));
  const classOf = new Map(
    entries.map((entry) => {
      const mark = marks.get(entry.id) ?? NO_MARK;
      return [entry, ridesAlone(mark) ? 0 : riskOf(entry, experience, mark) < RISKY ? 1 : 2];
    }),
  );
  return [...entries].sort((a, b) => rank.get(b)! - rank.get(a)! || classOf.get(a)! - classOf.get(b)! || a.at - b.at || a.id - b.id);
}

/** By entry: the number of later entries that have ended, which are the higher ids that are no longer open. */
function overtaken(entries: readonly QueueEntry[]): Map<QueueEntry, number> {
  const byId = entries.toSorted((a, b) => b.id - a.id);
  const newest = byId[0]?.id ?? 0;
  return new Map(byId.map((entry, younger) => [entry, newest - entry.id - younger]));
}

function inherited(entries: readonly QueueEntry[], past: ReadonlyMap<QueueEntry, number>): Map<QueueEntry, number> {
  const rank = new Map(entries.map((entry) => [entry, past.get(entry)! >= STARVING ? Number.MAX_SAFE_INTEGER : entry.priority]));
  const byTask = Map.groupBy(entries, (entry) => entry.task);
  const toVisit = entries.filter((entry) => entry.after.length > 0);
  for (let entry = toVisit.pop(); entry; entry = toVisit.pop()) {
    for (const needed of entry.after.flatMap((task) => byTask.get(task) ?? [])) {
      if (rank.get(needed)! >= rank.get(entry)!) continue;
      rank.set(needed, rank.get(entry)!);
      toVisit.push(needed);
    }
  }
  return rank;
}
