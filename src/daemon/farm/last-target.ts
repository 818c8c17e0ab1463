import { lastAttemptBy } from '../../work/attempt/store.ts';
import type { Farm } from './farm.ts';
import { targetOf } from './inputs/target.ts';

/** The branch that an agent's last work was for; its head tells whether the work has landed. */
export async function lastTarget(farm: Farm, agent: string): Promise<string> {
  const row = await lastAttemptBy(farm.db, agent);
  return targetOf(row ?? {}, farm);
}
