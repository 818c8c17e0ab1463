import { readdir } from 'node:fs/promises';
import { lastAttemptId, numberFrom } from '../work/attempt/store.ts';
import type { Farm } from './farm/farm.ts';

/** Room for the attempts of the starts between two stores. */
const A_START = 100_000;

/**
 * Lets a store that was made anew, or put back from a copy, number its attempts beyond all that another store has started here: else an exit file that is
 * left, or a process that ends late, would speak for a new attempt. The epoch is in a ref, and no two starts have the same.
 */
export async function numberAttempts(farm: Pick<Farm, 'db' | 'places' | 'lost' | 'epoch'>): Promise<void> {
  const { run, exits } = farm.places;
  const names = (await Promise.all([run, exits].map((folder) => readdir(folder).catch(() => [])))).flat();
  const highest = Math.max(0, ...names.map((name) => Number(/^a(\d{1,12})(\.|$)/.exec(name)?.[1] ?? 0)));
  const first = Math.max(highest + 1, farm.lost ? farm.epoch.n * A_START : 0);
  if (first > (await lastAttemptId(farm.db)) + 1) await numberFrom(farm.db, first);
}
