import { FurrowError } from '../../../platform/error.ts';
import { type Prepared, prepare } from '../../../repo/worktree/prepare.ts';
import { prove } from '../../../repo/worktree/prove-place.ts';
import { agentEnvironment } from '../../host/agent-environment.ts';
import { placeOf } from '../../host/agent-ports.ts';
import { startProcess } from '../../host/agents/launch.ts';
import { dropStart, endTree, findStarted } from '../../host/agents/started-process.ts';
import type { AgentHost } from '../../host/host.ts';
import { forgetChangedSetup, setUpWorktree } from '../../host/worktree-setup.ts';
import type { HostHalf } from '../table.ts';
import type { StartArgs, Started, StartFacts } from './arguments.ts';

/** Puts the task before an agent: the answer is its prompt, and files that belong to the task are copied into its worktree. */
export type Brief = (args: StartArgs, facts: StartFacts) => Promise<string>;

interface Starting {
  signalFor(agent: string): AbortSignal;
  readonly brief: Brief;
}

/** Makes the worktree ready, proves it, and starts the agent in its window. */
export function attemptStart(farm: AgentHost, { signalFor, brief }: Starting): HostHalf<'attempt.start'> {
  return {
    async probe(args, { row: { id }, agent }) {
      const found = await findStarted(farm, { agent: args.agent, attempt: id, launch: 1 });
      if (found) return { ...found, rescued: null, place: await placeOf(farm, agent) };
      // A set-up may have outlived its daemon; the next one must not run beside it.
      await endTree(farm, id);
      return undefined;
    },

    async run(args, facts) {
      try {
        return await start(farm, { args, facts, brief }, signalFor(args.agent));
      } catch (error) {
        await dropStart(farm, { agent: args.agent, attempt: facts.row.id, launch: 1 });
        throw error;
      }
    },
  };
}

interface Order {
  readonly args: StartArgs;
  readonly facts: StartFacts;
  readonly brief: Brief;
}

async function start(farm: AgentHost, { args, facts, brief }: Order, signal: AbortSignal): Promise<Started> {
  const { row, raced } = facts;
  const place = await placeOf(farm, facts.agent);
  const agent = { ...facts.agent, ...place };
  await forgetChangedSetup(farm, agent);
  const { rescued } = await makeReady(farm, facts);
  const env = agentEnvironment(farm, row, agent, raced);
  await setUpWorktree(farm, agent, env, signal);
  const prompt = await brief(args, facts);
  const { pid, start } = await startProcess(farm, { row, agent, env, prompt });
  return { pid, start, rescued: rescued ?? null, place };
}

/** The worktree at the commit to go on from, else at the base, with nothing of the task before in it. */
async function makeReady(farm: AgentHost, { row, agent, from, fresh }: StartFacts): Promise<Prepared> {
  const { branch, base } = row;
  const place = await prepare(farm.repo, {
    path: agent.worktree,
    branch,
    base,
    fresh,
    trash: farm.places.trash,
    rescueRef: `refs/furrow/rescue/${agent.name}/${row.id}`,
    ...(from && { continueFrom: from }),
    filled: await farm.ahead.take(agent.worktree),
  });
  const problems = await prove(farm.repo, agent.worktree, { branch, base: from ?? base, clean: place.clean });
  if (problems.length > 0) throw new FurrowError('WORKTREE_NOT_READY', `the worktree of ${agent.name} is not ready: ${problems[0]}`);
  return place;
}
