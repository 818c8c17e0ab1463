import { killTree } from '../../platform/process/kill.ts';
import { processesOf, valuesOf } from '../../platform/process/table.ts';
import type { Stray } from '../farm/host-side.ts';

/** Time for agents to end by themselves. */
const GRACE_MS = 2000;

/**
 * Ends every process of this farm's attempts and slots, and says what they worked on. For a store that was made again: it counts attempts
 * from 1, so its markers would be those of the old processes.
 */
export async function endStrays(farm: string): Promise<Stray[]> {
  const found = processesOf(farm);
  const [agents, tasks, phases, attempts] = ['FURROW_AGENT', 'FURROW_TASK', 'FURROW_PHASE', 'FURROW_ATTEMPT'].map((name) =>
    valuesOf(found, name),
  );
  const strays = new Map<string, Stray>();
  for (const { pid, marker } of found) {
    const [agent, task, phase] = [agents?.get(pid), tasks?.get(pid), phases?.get(pid)];
    if (agent && task) strays.set(marker, { agent, task: `${phase ?? 'default'}/${task}`, attempt: Number(attempts?.get(pid)) || 1 });
  }
  await Promise.all([...new Set(found.map(({ marker }) => marker))].map((marker) => killTree({ root: undefined, marker }, GRACE_MS)));
  return [...strays.values()];
}
