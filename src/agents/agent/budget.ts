import type { Usage } from './event.ts';

interface Budget {
  readonly run_usd?: number | undefined;
  readonly task_usd?: number | undefined;
}

/** USD for a million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/**
 * The budget that is used up. `allowed` is a ceiling that a person has agreed to since; it never lowers what the
 * configuration gives. The task comes first: its answer is the smaller one to give.
 */
export function overBudget(
  budget: Budget,
  spent: { readonly run: number; readonly task: number },
  allowed: { readonly run?: number | undefined; readonly task?: number | undefined },
): { over: 'run' | 'task'; reason: string } | null {
  const task = ceiling(budget.task_usd, allowed.task);
  if (spent.task >= task) return { over: 'task', reason: `this task has cost ${usd(spent.task)} of ${usd(task)}` };
  const run = ceiling(budget.run_usd, allowed.run);
  if (spent.run >= run) return { over: 'run', reason: `this work has cost ${usd(spent.run)} of ${usd(run)}` };
  return null;
}

/** The cost that the agent reports, else the one by the price list; null when neither is known, which is not the same as zero. */
export function usdOf(usage: Usage, price?: Price): number | null {
  if (usage.usd !== undefined) return usage.usd;
  if (price === undefined) return null;
  // Writing to a cache costs about as much as reading anew; price lists have no common column for it.
  return ((usage.input + usage.cacheWrite) * price.input + usage.output * price.output + usage.cacheRead * price.cached) / 1e6;
}

function ceiling(budget: number | undefined, allowed: number | undefined): number {
  return budget === undefined ? Number.POSITIVE_INFINITY : Math.max(budget, allowed ?? 0);
}

/** Dollars with cents, and with more digits where the amount would look like zero. */
function usd(amount: number): string {
  return `$${amount > 0 && amount < 0.01 ? amount.toPrecision(1) : amount.toFixed(2)}`;
}
