import type { ReportRows } from './rows.ts';

/** The two parts of a ref; a branch that a person submitted has `@branch` for a phase, and is shown by its name. */
export function partsOf(ref: string): { task: string; phase: string } {
  const slash = ref.indexOf('/');
  const phase = slash < 0 ? '' : ref.slice(0, slash);
  return { task: ref.slice(slash + 1), phase: phase.startsWith('@') ? '' : phase };
}

/** A task by its name and title, also one that is no longer on the board. */
export function naming(rows: Pick<ReportRows, 'tasks' | 'titles' | 'entries'>) {
  const listed = new Map(rows.tasks.map((task) => [task.ref, task.title]));
  const submitted = new Map(rows.entries.map((entry) => [entry.task, entry.title]));
  return (ref: string) => ({ ...partsOf(ref), title: listed.get(ref) ?? rows.titles.get(ref) ?? submitted.get(ref) ?? '' });
}

export const iso = (at: number) => new Date(at).toISOString();
