import type { Agent } from '../../agents/agent/store.ts';
import { FurrowError } from '../../platform/error.ts';
import { claimBlock, FIRST_PORT } from '../../repo/worktree/ports.ts';
import type { AgentHost } from './host.ts';

/** Ports and a database name of an agent's own, from the registry of this machine; the same as long as it has them. */
export async function placeOf(farm: AgentHost, agent: Pick<Agent, 'name' | 'idx'>): Promise<{ port: number; database: string }> {
  const size = farm.config.worktree.ports;
  const wanted = { farm: farm.id, root: farm.repo.root, agent: agent.name, size };
  const { from: port, database } = await claimBlock(wanted).catch((error: Error) => {
    if (error instanceof FurrowError && error.code === 'NO_PORTS') throw error;
    // Without the user's folder nothing is known of the ports of other farms: only the agents of this farm are kept apart.
    farm.log.warn({ error: error.message }, 'the registry of ports cannot be used');
    return { from: FIRST_PORT + agent.idx * size, database: agent.name.replaceAll('-', '_') };
  });
  return { port, database };
}
