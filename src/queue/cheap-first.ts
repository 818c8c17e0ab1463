import type { CheckSpec } from './snapshot.ts';
import type { Timed } from './width.ts';

/**
 * Checks in the order in which they are run on a tree: the cheap ones first, so that a tree that fails one of them costs
 * little. As configured until each has passed once, and among those of about the same time: cheaper means half, or the
 * order would change with every run, and each change cancels checks under way.
 */
export function cheapFirst(checks: readonly CheckSpec[], runs: readonly Timed[]): CheckSpec[] {
  const sums = new Map<string, { n: number; ms: number }>();
  for (const { check, outcome, ms } of runs) {
    if (outcome !== 'pass') continue;
    const { n, ms: sum } = sums.get(check) ?? { n: 0, ms: 0 };
    sums.set(check, { n: n + 1, ms: sum + ms });
  }
  if (checks.some((check) => !sums.has(check.id))) return [...checks];
  const size = ({ id }: CheckSpec) => Math.round(Math.log2(Math.max(1, sums.get(id)!.ms / sums.get(id)!.n)));
  return checks.toSorted((a, b) => size(a) - size(b));
}
