import type { CheckRun } from '../snapshot.ts';

/** Trouble of the machine that came this often in a row will not end by asking again. */
export const MAX_ERRORS = 5;

/** The runs of one check on one tree, summed up. */
export interface Answer {
  /** The newest run that could answer decides; `suspect`: red, but not often enough to count. */
  readonly is: 'unknown' | 'green' | 'suspect' | 'red';
  /** Ids of the runs behind it: the last ones, all alike. */
  readonly ids: readonly number[];
  /** Every run said this, or enough of the last ones did. */
  readonly steady: boolean;
  /** Later runs that could not answer, and the id of the last of them. */
  readonly errors: number;
  readonly broken?: number;
}

const NOTHING: Answer = { is: 'unknown', ids: [], steady: false, errors: 0 };

/** The answers of one check, by tree. An `error` says nothing about the tree, whatever came before it. */
export function answersOf(runs: readonly CheckRun[], check: string, retries: number): (tree: string) => Answer {
  const known = new Map<string, Answer>();
  for (const run of runs) {
    if (run.check !== check) continue;
    const before = known.get(run.tree) ?? NOTHING;
    known.set(run.tree, run.outcome === 'error' ? { ...before, errors: before.errors + 1, broken: run.id } : next(before, run, retries));
  }
  return (tree) => known.get(tree) ?? NOTHING;
}

function next(before: Answer, run: CheckRun, retries: number): Answer {
  const passed = run.outcome === 'pass';
  const same = before.is === 'unknown' || passed === (before.is === 'green');
  const ids = same ? [...before.ids, run.id] : [run.id];
  const enough = ids.length > retries;
  const alike = before.is === 'unknown' || (same && before.steady);
  return { is: passed ? 'green' : enough ? 'red' : 'suspect', ids, steady: alike || enough, errors: 0 };
}
