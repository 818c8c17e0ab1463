/** What a way to find bad changes costs a change. */
export interface Cost {
  readonly rounds: number;
  readonly checks: number;
}

interface Choice {
  /** Both slots check the first `a` and the first `b` changes; `b` is undefined where only one size tells anything. */
  readonly a: number;
  readonly b: number | undefined;
}

/** Sizes above this are never best for a share of bad changes of 3 % or more. */
const MOST = 36;

/**
 * The fewest rounds a change in which two slots find all bad ones, if both always check parts of the same stack: solved exactly, for changes
 * that are bad independently of each other, checks of equal length, and one further red run for each bad one, beside other work.
 */
export function bestOfTwoSlots(bad: number): Cost {
  const good = Array.from({ length: MOST + 1 }, (_, n) => (1 - bad) ** n);
  // By the size of a group that holds a bad one; of size 0: by the changes that are not known to.
  let choices: Choice[] = [];
  const solve = (worth: number): number => {
    const costs = [0, 0.5 - worth];
    choices = [];
    for (let size = 2; size <= MOST + 1; size++) {
      const group = size <= MOST ? size : 0;
      let least = Number.POSITIVE_INFINITY;
      for (const choice of choicesOf(group)) {
        const cost = outcomes(good, group, choice).reduce((sum, one) => sum + one.chance * (costs[one.group]! - worth * one.done), 1);
        if (cost < least) [least, choices[group]] = [cost, choice];
      }
      costs[group] = group === 0 ? costs[0]! : least;
      if (group === 0) return least;
    }
    return Number.NaN;
  };
  let [low, high] = [0, 3];
  for (let n = 0; n < 30; n++) [low, high] = solve((low + high) / 2) > 0 ? [(low + high) / 2, high] : [low, (low + high) / 2];
  return { rounds: low, checks: checksOf(good, choices) };
}

function choicesOf(group: number): Choice[] {
  const most = group === 0 ? MOST : group - 1;
  if (most === 1) return [{ a: 1, b: undefined }];
  return Array.from({ length: most }, (_, n) => n + 1).flatMap((a) =>
    Array.from({ length: most - a }, (_, n): Choice => ({ a, b: a + n + 1 })),
  );
}

/** The three results of a round: red at once, red behind the first part, or green; `group`: the size of the red group that is left. */
function outcomes(good: readonly number[], size: number, { a, b = a }: Choice): { chance: number; group: number; done: number }[] {
  const red = (from: number, to: number) => good[from]! - good[to]!;
  const all = size === 0 ? 1 : red(0, size);
  const rest = size === 0 ? good[b]! : red(b, size);
  return [
    { chance: red(0, a) / all, group: a, done: 0 },
    { chance: red(a, b) / all, group: b - a, done: a },
    { chance: rest / all, group: Math.max(0, size - b), done: b },
  ];
}

function checksOf(good: readonly number[], choices: readonly Choice[]): number {
  const checks = [0, 1];
  const done = [0, 1];
  for (let size = 2; size <= MOST + 1; size++) {
    const group = size <= MOST ? size : 0;
    const all = outcomes(good, group, choices[group]!);
    const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + one.chance * of(one), 0);
    const asked = choices[group]!.b === undefined ? 1 : 2;
    const totals = [asked + sum((one) => checks[one.group]!), sum((one) => one.done + done[one.group]!)] as const;
    if (group === 0) return totals[0] / totals[1];
    [checks[group], done[group]] = totals;
  }
  return Number.NaN;
}
