import type { QueueFacts } from './facts.ts';
import { type Mark, NO_MARK } from './risk.ts';

/** By entry. */
export type Marks = ReadonlyMap<number, Mark>;

export const markOf = (marks: Marks, id: number): Mark => marks.get(id) ?? NO_MARK;

/** The marks of the last plan. A red run that is no longer in the snapshot does not count: a person said "go on", or it is too old. */
export function marksFromNotes({ snapshot, open, runs }: QueueFacts): Marks {
  const marks = new Map<number, Mark>();
  for (const [key, mark] of Object.entries(snapshot.notes.marks)) {
    if (!open.has(Number(key))) continue;
    const reds = mark.reds.filter((id) => runs.byId.get(id)?.outcome === 'fail');
    marks.set(Number(key), { cleared: mark.cleared, reds });
  }
  return marks;
}
