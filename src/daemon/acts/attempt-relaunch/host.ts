import { FurrowError } from '../../../platform/error.ts';
import { agentEnvironment } from '../../host/agent-environment.ts';
import { handOff, isWrittenDown } from '../../host/agents/hand-off.ts';
import { startProcess } from '../../host/agents/launch.ts';
import { dropStart, endTree, findStarted } from '../../host/agents/started-process.ts';
import type { Host } from '../../host/host.ts';
import type { HostHalf } from '../table.ts';
import type { RelaunchArgs, Relaunched, RelaunchFacts } from './arguments.ts';

/** Starts the process of an attempt once more, in the same worktree: after a crash, or with a conversation that is full. */
export function attemptRelaunch(farm: Host): HostHalf<'attempt.relaunch'> {
  return {
    probe: ({ attempt, launch }, { row: { agent } }) => findStarted(farm, { agent, attempt, launch }),
    run: (args, facts) => relaunch(farm, args, facts),
  };
}

async function relaunch(farm: Host, args: RelaunchArgs, facts: RelaunchFacts): Promise<Relaunched> {
  const { row, agent, supervision } = facts;
  // What is left of the last start, and of this one if a daemon died in the middle of it.
  const killed = await endTree(farm, row.id);
  if (killed.survivors.length > 0) throw new FurrowError('SURVIVORS', `processes of attempt ${row.n} cannot be ended`);
  const signals = supervision?.signals;
  const env = agentEnvironment(farm, row, agent, facts.raced, args.launch);
  const known = args.how === 'resume' ? signals?.session : undefined;
  const resume = (await isWrittenDown(signals?.transcriptPath)) ? known : undefined;
  try {
    const prompt = await handOff(farm, facts, args, resume !== undefined);
    const started = await startProcess(farm, { row, agent, env, prompt, resume });
    return known === resume ? started : { ...started, forgotten: true };
  } catch (error) {
    await dropStart(farm, { agent: row.agent, attempt: row.id, launch: args.launch });
    throw error;
  }
}
