import { passedEnvironment } from '../agents/agent/environment.ts';
import type { Handlers } from '../api/server.ts';
import type { Config } from '../config/schema.ts';
import { starts } from '../daemon/host/agents/starts.ts';
import { type Doors, doorsOf } from '../daemon/host/doors/doors.ts';
import type { AgentHost } from '../daemon/host/host.ts';
import { ownGits } from '../daemon/host/own-git.ts';
import { type Terminals, terminals, tmuxSocket } from '../daemon/host/terminals.ts';
import type { Attempt } from '../work/attempt/store.ts';
import type { Bench } from './bench.ts';

/** This machine as the host of agents: a terminal, a door and a worktree for each. What the leader would be asked is known of the orders. */
export interface AgentPlace {
  readonly host: AgentHost & { config: Config };
  readonly terminals: Terminals;
  readonly doors: Doors;
}

/** The attempts of this machine, for its own parts that would ask a leader. */
export interface Known {
  attempts(): readonly (Pick<Attempt, 'id' | 'pid' | 'pid_start'> & { readonly row: Attempt; readonly worktree: string })[];
}

export function agentPlace({ farm }: Bench, known: Known, handlers: Handlers, looked: () => void): AgentPlace {
  const windows = terminals(farm.places, farm.id, tmuxSocket(farm.repo.root), passedEnvironment(process.env), looked);
  // Agents whose hooks would be heard here are not placed here.
  const hooks = { port: 0, tokenOf: () => '', urlOf: () => '', mcpOf: () => '' };
  const attempts = {
    find: async (attempt: number) => known.attempts().find(({ id }) => id === attempt)?.row,
    agent: async (name: string) => known.attempts().findLast(({ row }) => row.agent === name),
    processes: async () =>
      known.attempts().flatMap(({ id, pid, pid_start }) => (pid !== null && pid_start ? [{ attempt: id, pid, start: pid_start }] : [])),
  };
  const doors = doorsOf(() => host, farm.repo.root);
  doors.answer(handlers);
  let config = farm.config;
  const host: AgentPlace['host'] & ReturnType<Parameters<typeof doorsOf>[0]> = {
    ...farm,
    get config() {
      return config;
    },
    set config(next) {
      config = next;
    },
    get isolation() {
      return farm.isolation;
    },
    get target() {
      return farm.target;
    },
    hooks,
    doors,
    terminals: windows,
    starts: starts(),
    ahead: { take: async () => undefined },
    trust: { config: undefined, consents: new Set<string>() },
    leader: { checks: farm.leader.checks, attempts },
    ownGits: ownGits(() => host),
  };
  return { host, terminals: windows, doors };
}
