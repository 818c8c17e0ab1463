import type { CheckRun } from './snapshot.ts';

/** Infrastructure that failed this often in a row will not heal by asking once more. */
export const MAX_ERRORS = 5;

/** What the runs of one check on one tree say so far. */
export type Verdict =
  | { readonly is: 'green' }
  | { readonly is: 'unknown' }
  /** Red `fails` times in a row, `since` being the place of the first of them among all runs. */
  | { readonly is: 'doubtful' | 'red'; readonly fails: number; readonly since: number }
  | { readonly is: 'broken' };

/**
 * The newest run that could answer decides. Red needs `retries` + 1 fails in a row; an `error` is trouble of the
 * machine and says nothing about the tree, whatever it follows.
 * `from` leaves earlier runs out: a proof that must be newer than something.
 */
export function verdictOf(runs: readonly CheckRun[], tree: string, check: string, retries: number, from = 0): Verdict {
  let fails = 0;
  let since = 0;
  let errors = 0;
  let green = false;
  for (let at = from; at < runs.length; at++) {
    const run = runs[at]!;
    if (run.tree !== tree || run.check !== check) continue;
    errors = run.outcome === 'error' ? errors + 1 : 0;
    if (run.outcome === 'error') continue;
    green = run.outcome === 'pass';
    if (green) fails = 0;
    else if (fails++ === 0) since = at;
  }
  if (green) return { is: 'green' };
  if (fails > retries) return { is: 'red', fails, since };
  if (errors >= MAX_ERRORS) return { is: 'broken' };
  return fails > 0 ? { is: 'doubtful', fails, since } : { is: 'unknown' };
}
