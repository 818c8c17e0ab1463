import { readAgent } from '../../../agents/agent/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import { type Prepared, prepare } from '../../../repo/worktree/prepare.ts';
import { prove } from '../../../repo/worktree/prove.ts';
import { hasBegunSince } from '../../../work/attempt/read.ts';
import { type Attempt, attemptAt } from '../../../work/attempt/store.ts';
import { findWork } from '../../../work/store.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import { readTask } from '../../../work/task/store.ts';
import { promptFor } from '../../farm/prompt.ts';
import { agentEnvironment } from '../../host/agent-environment.ts';
import { withPorts } from '../../host/agent-ports.ts';
import { startProcess } from '../../host/agents/launch.ts';
import { dropStart, endTree, findStarted } from '../../host/agents/started-process.ts';
import type { Host } from '../../host/host.ts';
import { forgetChangedSetup, setUpWorktree } from '../../host/worktree-setup.ts';
import type { HostHalf } from '../table.ts';
import type { StartArgs, Started } from './arguments.ts';

type Agent = Awaited<ReturnType<typeof readAgent>>;

/** Makes the worktree ready, proves it, and starts the agent in its window. */
export function attemptStart(farm: Host, signalFor: (agent: string) => AbortSignal): HostHalf<'attempt.start'> {
  const rowOf = ({ task, n }: StartArgs) => attemptAt(farm.db, task, n);
  return {
    async probe(args) {
      const { id } = await rowOf(args);
      const found = await findStarted(farm, { agent: args.agent, attempt: id, launch: 1 });
      if (found) return { ...found, rescued: null };
      // A set-up may have outlived its daemon; the next one must not run beside it.
      await endTree(farm, id);
      return undefined;
    },

    async run(args) {
      const row = await rowOf(args);
      try {
        return await start(farm, args, row, signalFor(args.agent));
      } catch (error) {
        await dropStart(farm, { agent: args.agent, attempt: row.id, launch: 1 });
        throw error;
      }
    },
  };
}

async function start(farm: Host, args: StartArgs, row: Attempt, signal: AbortSignal): Promise<Started> {
  const task = await readTask(farm.db, args.task);
  const agent = await withPorts(farm, await readAgent(farm.db, args.agent));
  await forgetChangedSetup(farm, agent);
  const place = await makeReady(farm, row, agent, reworkOf(task)?.from ?? undefined);
  const env = await agentEnvironment(farm, row, agent);
  await setUpWorktree(farm, agent, env, signal);
  const prompt = await promptFor(farm, { task, agent: args.agent, attempt: args.n, base: args.base, branch: args.branch });
  const { pid, start } = await startProcess(farm, { row, agent, env, prompt });
  return { pid, start, rescued: place.rescued ?? null };
}

/** The worktree at the commit to go on from, else at the base, with nothing of the task before in it. */
async function makeReady(farm: Host, row: Attempt, agent: Agent, from: string | undefined): Promise<Prepared> {
  const { branch, base } = row;
  const place = await prepare(farm.repo, {
    path: agent.worktree,
    branch,
    base,
    fresh: await isFresh(farm, row, agent.phase),
    trash: farm.places.trash,
    rescueRef: `refs/furrow/rescue/${agent.name}/${row.id}`,
    ...(from && { continueFrom: from }),
  });
  const problems = await prove(farm.repo, agent.worktree, { branch, base: from ?? base, clean: place.clean });
  if (problems.length > 0) throw new FurrowError('WORKTREE_NOT_READY', `the worktree of ${agent.name} is not ready: ${problems[0]}`);
  return place;
}

/** `furrow work --fresh` asked for new worktrees, and this is the agent's first attempt since. */
async function isFresh({ db }: Host, row: Attempt, phase: string): Promise<boolean> {
  const work = await findWork(db, phase);
  if (!work?.fresh) return false;
  return !(await hasBegunSince(db, row, work.at));
}
