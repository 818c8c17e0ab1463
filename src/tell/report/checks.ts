import type { Out } from '../../api/contract.ts';
import { flakeLedger } from '../../queue/flakes.ts';
import { iso } from './names.ts';
import { percentilesOf } from './percentiles.ts';
import type { ReportRows, ReportRun } from './rows.ts';

type Facts = Out<'report'>;

/** Each check by its name: its runs, its reds, and how long it took when it could answer. */
export function checksIn({ runs }: Pick<ReportRows, 'runs'>): Facts['checks'] {
  return flakeLedger(runs).map(({ name, runs: count, passes, fails, errors, flakes }) => ({
    name,
    runs: count,
    passes,
    fails,
    errors,
    flakes,
    ...percentilesOf(runs.filter((run) => run.name === name && run.outcome !== 'error').map(({ ms }) => ms)),
  }));
}

const keyOf = ({ tree, about, check }: ReportRun) => `${about ?? tree} ${check}`;

/** Every red on a tree that also passed, the oldest first. */
export function flakesIn({ runs }: Pick<ReportRows, 'runs'>): Facts['flakes'] {
  const green = new Set(runs.filter(({ outcome }) => outcome === 'pass').map(keyOf));
  return runs
    .filter((run) => run.outcome === 'fail' && green.has(keyOf(run)))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name, tree, at }) => ({ check: name, tree, at: iso(at) }));
}
