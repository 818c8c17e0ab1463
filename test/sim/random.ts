import { dice } from '../../src/agents/agent/scripted/random.ts';

export { dice };

/** Numbers in [0, 1). */
export type Roll = () => number;

export const chance = (roll: Roll, probability: number): boolean => roll() < probability;

export const between = (roll: Roll, low: number, high: number): number => low + roll() * (high - low);

/** A whole number from low to high, both included. */
export const whole = (roll: Roll, low: number, high: number): number => low + Math.floor(roll() * (high - low + 1));

export const oneOf = <T>(roll: Roll, choices: readonly T[]): T => choices[whole(roll, 0, choices.length - 1)]!;

export const exponential = (roll: Roll, mean: number): number => -Math.log(1 - roll()) * mean;

function normal(roll: Roll): number {
  return Math.sqrt(-2 * Math.log(1 - roll())) * Math.cos(2 * Math.PI * roll());
}

/** Log-normal with this mean: most are somewhat faster than the mean, a few take several times as long. */
export function logNormal(roll: Roll, mean: number, sigma: number): number {
  return mean * Math.exp(sigma * normal(roll) - (sigma * sigma) / 2);
}

/** Draws 0 … count-1, the k-th with a weight of 1/k^exponent: a few modules are touched by many changes. */
export function zipf(count: number, exponent: number): (roll: Roll) => number {
  const sums: number[] = [];
  for (let k = 1; k <= count; k++) sums.push((sums.at(-1) ?? 0) + k ** -exponent);
  return (roll) => {
    const at = roll() * sums.at(-1)!;
    return sums.findIndex((sum) => at < sum);
  };
}
