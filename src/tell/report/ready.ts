import type { ReportRows } from './rows.ts';

/** The time at which a task could have begun, and since when it waited for others before that. */
interface Ready {
  /** When the first attempt of the period began. */
  readonly started: number;
  /** Nothing held it back any more: it was on the board, its phase was worked on, and what it depends on had landed. */
  readonly at: number;
  /** Since when only its dependencies held it back; null: it has none that landed in the period. */
  readonly waitedFrom: number | null;
}

const BEGINS = new Set(['work.started', 'work.resumed']);

/**
 * The store has no row for "ready": it follows from the board. It is read off what is known of the task, its dependencies and the
 * work on its phase; where none of these is known any more, nothing is said. A task whose first attempt was before the period is left out.
 */
export function readyTimes(rows: Pick<ReportRows, 'tasks' | 'attempts' | 'entries' | 'events'>): Map<string, Ready> {
  const firsts = new Map<string, { started: number; n: number }>();
  for (const { task, started, n } of rows.attempts) if (started < (firsts.get(task)?.started ?? Infinity)) firsts.set(task, { started, n });
  const landed = landedTimes(rows.entries);
  const added = new Map(rows.events.filter(({ kind }) => kind === 'task.added').map(({ task, at }) => [task, at]));
  const imported = rows.events.find(({ kind }) => kind === 'board.imported')?.at ?? -Infinity;
  const begun = Map.groupBy(
    rows.events.filter(({ kind }) => BEGINS.has(kind)),
    ({ data }) => data['phase'],
  );
  const found = new Map<string, Ready>();
  for (const task of rows.tasks) {
    const first = firsts.get(task.ref);
    if (first?.n !== 1) continue;
    const { started } = first;
    const before = (times: readonly number[]) => times.filter((at) => at <= started);
    const needed = Math.max(...task.needs.flatMap((ref) => before(landed.get(ref) ?? [])));
    const works = (begun.get(task.phase) ?? []).map(({ at }) => at);
    const open = Math.max(added.get(task.ref) ?? imported, ...before(works));
    const at = Math.max(needed, open);
    if (!Number.isFinite(at)) continue;
    const waited = Number.isFinite(needed) && Number.isFinite(open) && needed > open;
    found.set(task.ref, { started, at: Math.min(at, started), waitedFrom: waited ? open : null });
  }
  return found;
}

function landedTimes(entries: ReportRows['entries']): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const { task, state, ended } of entries)
    if (state === 'landed' && ended !== null) times.set(task, [...(times.get(task) ?? []), ended]);
  return times;
}
