import type { Farm } from '../../farm/farm.ts';
import { type Carried, carriedTasks } from '../../merge/unpublished.ts';
import type { QueueMemory } from './memory.ts';

/** Tasks inside commits of landings that were never published. They change only when the head does. */
export async function unpublishedTasks({ repo }: Farm, memory: QueueMemory): Promise<Carried> {
  if (memory.carried?.head !== memory.head) memory.carried = { head: memory.head, tasks: await carriedTasks(repo, memory.head) };
  return memory.carried.tasks;
}
