import type { CheckSpec, QueueSnapshot } from './snapshot.ts';
import { MAX_ERRORS, type Runs, trailOf } from './verdict.ts';

/** The state of the head before the first agent starts on top of it. */
export type Preflight =
  | { readonly is: 'green' }
  /** `run` is the last red one. */
  | { readonly is: 'red'; readonly check: CheckSpec; readonly run: number }
  /** The machine could not run it. */
  | { readonly is: 'broken'; readonly check: CheckSpec }
  /** These checks have not answered yet. */
  | { readonly is: 'open'; readonly checks: readonly CheckSpec[] };

/** One red check decides, but only when it is red as often as an entry would have to be. */
export function preflightOf({ headTree, checks, retries }: Pick<QueueSnapshot, 'headTree' | 'checks' | 'retries'>, runs: Runs): Preflight {
  const known = checks.map((check) => ({ check, trail: trailOf(runs, headTree, check.id) }));
  const red = known.find(({ trail }) => (trail?.fails.length ?? 0) > retries);
  if (red) return { is: 'red', check: red.check, run: red.trail!.fails.at(-1)! };
  const broken = known.find(({ trail }) => (trail?.errors ?? 0) >= MAX_ERRORS);
  if (broken) return { is: 'broken', check: broken.check };
  const open = known.filter(({ trail }) => trail?.answer !== 'pass').map(({ check }) => check);
  return open.length === 0 ? { is: 'green' } : { is: 'open', checks: open };
}

/** True while agents of a work may not start yet. A queue that a person paused runs no checks, so no work waits for it. */
export const waitsForPreflight = (work: { readonly state: string; readonly preflight: string | null }, queuePaused: boolean): boolean =>
  work.state === 'active' && work.preflight === 'wanted' && !queuePaused;
