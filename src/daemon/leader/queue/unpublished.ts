import type { Carried } from '../../../repo/merge/unpublished.ts';
import type { Farm } from '../../farm/farm.ts';
import { type QueueMemory, stateOf } from './memory.ts';

/** Tasks inside commits of landings that were never published. They change only when the head does. */
export async function unpublishedTasks({ git }: Farm, memory: QueueMemory): Promise<Carried> {
  const state = stateOf(memory);
  if (memory.carried?.state !== state) memory.carried = { state, tasks: await git.carriedTasks(memory.head) };
  return memory.carried.tasks;
}
