import type { CheckSpec } from './snapshot.ts';
import type { Timed } from './width.ts';

/**
 * The order in which checks run on a tree: the cheap ones first, so that a tree that fails costs little. The configured order counts until
 * each has passed once, and among checks of about the same time. Cheaper means at most half: otherwise the order would change with every
 * run, and each change cancels running checks.
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
