import type { CoordinationSnapshot, ShownAgent, ShownLease, ShownMessage } from './snapshot.ts';

/** The files of the folder by their paths in it. The same state gives the same bytes: no file says when it was written. */
export function project(snapshot: CoordinationSnapshot): Map<string, string> {
  const { farm, daemon, agents, tasks, queue, messages, leases } = snapshot;
  const files = new Map<string, string>();
  const put = (path: string, value: unknown) => files.set(path, `${JSON.stringify(value, null, 2)}\n`);
  put('registry.json', { farm, daemon, agents });
  put('task_queue/pending.json', { tasks: tasks.filter((task) => PENDING.has(task.state)) });
  put('merge_queue/ready-to-merge.json', { target: farm.target, ...queue });
  for (const agent of agents) if (agent.task !== null) put(`agent_locks/${agent.name}.lock`, lockOf(agent, leases));
  const names = new Set([...agents.map((agent) => agent.name), ...messages.flatMap(({ from, to }) => [from, to])]);
  for (const name of [...names].filter(isFileName).sort()) {
    put(
      `inboxes/${name}.json`,
      box(messages, (one) => one.to === name),
    );
    put(
      `outboxes/${name}.json`,
      box(messages, (one) => one.from === name),
    );
  }
  return files;
}

const PENDING: ReadonlySet<string> = new Set(['waiting', 'ready', 'blocked', 'parked']);

/** An agent of another farm, `repo:name`, has its boxes there. */
const isFileName = (name: string) => /^[a-z0-9][a-z0-9-]*$/.test(name);

/** The hold of an agent on its task, there as long as the attempt is; and the paths and resources that it has or waits for. */
function lockOf({ name, task, attempt, phase, branch, worktree }: ShownAgent, leases: readonly ShownLease[]) {
  const own = leases.filter((one) => one.holder === name).map(({ holder: _, ...lease }) => lease);
  return { agent: name, task, phase, attempt, branch, worktree, leases: own };
}

const box = (messages: readonly ShownMessage[], mine: (one: ShownMessage) => boolean) => ({ messages: messages.filter(mine) });
