import type { CheckRun } from './snapshot.ts';
import { MAX_ERRORS } from './verdict.ts';

/**
 * Trouble of the machine is no verdict. But if a check is killed every time on one tree and passes elsewhere, that tree is the trouble: one
 * change that uses all memory must not halt the queue for everybody. So the last of `MAX_ERRORS` errors in a row counts as a red, if that
 * check has passed on another tree since the first of them.
 */
export function countRepeatedErrors(runs: readonly CheckRun[]): readonly CheckRun[] {
  if (!runs.some((run) => run.outcome === 'error')) return runs;
  const lastPass = lastPasses(runs);
  const streaks = new Map<string, { first: number; count: number }>();
  return runs.map((run) => {
    const key = `${run.tree} ${run.check}`;
    const { first, count } = streaks.get(key) ?? { first: run.id, count: 0 };
    if (run.outcome !== 'error') {
      streaks.delete(key);
      return run;
    }
    streaks.set(key, { first, count: count + 1 });
    if (count + 1 < MAX_ERRORS || !passedElsewhere(lastPass.get(run.check), run.tree, first)) return run;
    streaks.delete(key);
    return { ...run, outcome: 'fail' };
  });
}

interface Passes {
  readonly tree: string;
  readonly id: number;
  /** The last on any other tree. */
  readonly other: number;
}

function lastPasses(runs: readonly CheckRun[]): Map<string, Passes> {
  const last = new Map<string, Passes>();
  for (const { tree, check, outcome, id } of runs) {
    if (outcome !== 'pass') continue;
    const before = last.get(check);
    last.set(check, { tree, id, other: before === undefined ? -1 : before.tree === tree ? before.other : before.id });
  }
  return last;
}

function passedElsewhere(passes: Passes | undefined, tree: string, since: number): boolean {
  return passes !== undefined && (passes.tree === tree ? passes.other : passes.id) > since;
}
