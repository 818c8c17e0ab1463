import { usualOf } from './hanging.ts';

/** One run as the ledger needs it. */
export interface LedgerRun {
  readonly tree: string;
  /** The content its answer is about, where that is not the whole tree. */
  readonly about?: string | null;
  readonly check: string;
  readonly name: string;
  readonly outcome: 'pass' | 'fail' | 'error';
  readonly at: number;
  readonly ms: number;
  readonly log: string;
}

/** The history of a check, which tells how far to trust its answers. */
interface Ledger {
  readonly name: string;
  readonly runs: number;
  readonly passes: number;
  readonly fails: number;
  /** Trouble of the machine: neither red nor green. */
  readonly errors: number;
  /** Reds on a tree that also passed: the check changed, not the tree. */
  readonly flakes: number;
  /** The share of flakes in the runs on green trees. */
  readonly rate: number;
  /** The mean of the runs that passed, or of those that failed when none did. Waiting and set-up do not count. */
  readonly meanMs: number;
  /** The median of the same runs. */
  readonly usualMs: number;
  readonly longestMs: number;
  /** The newest flakes, newest first. */
  readonly last: readonly { readonly tree: string; readonly at: number; readonly log: string }[];
}

const SHOWN = 5;

const keyOf = ({ tree, about, check }: LedgerRun) => `${about ?? tree} ${check}`;

/** The ledger of every check by name, the flakiest first. */
export function flakeLedger(runs: readonly LedgerRun[]): Ledger[] {
  const green = new Set(runs.filter((run) => run.outcome === 'pass').map(keyOf));
  const isFlake = (run: LedgerRun) => run.outcome === 'fail' && green.has(keyOf(run));
  const names = [...new Set(runs.map((run) => run.name))];
  const ledgers = names.map((name): Ledger => {
    const own = runs.filter((run) => run.name === name);
    const count = (outcome: LedgerRun['outcome']) => own.filter((run) => run.outcome === outcome).length;
    const flakes = own.filter(isFlake).sort((a, b) => b.at - a.at);
    const passes = count('pass');
    const timed = own.filter((run) => run.outcome === (passes > 0 ? 'pass' : 'fail')).map((run) => run.ms);
    return {
      name,
      runs: own.length,
      passes,
      fails: count('fail'),
      errors: count('error'),
      flakes: flakes.length,
      rate: flakes.length === 0 ? 0 : flakes.length / (flakes.length + passes),
      meanMs: timed.length === 0 ? 0 : Math.round(timed.reduce((sum, ms) => sum + ms, 0) / timed.length),
      usualMs: usualOf(timed) ?? 0,
      longestMs: Math.max(0, ...timed),
      last: flakes.slice(0, SHOWN).map(({ tree, at, log }) => ({ tree, at, log })),
    };
  });
  return ledgers.sort((a, b) => b.rate - a.rate || b.runs - a.runs);
}
