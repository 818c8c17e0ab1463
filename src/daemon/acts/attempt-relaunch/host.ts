import { FurrowError } from '../../../platform/error.ts';
import { readIfThere, writeWhole } from '../../../platform/files.ts';
import { inWorktree, linkedAt } from '../../../platform/git/admin.ts';
import { tryGit } from '../../../platform/git/run.ts';
import { clean } from '../../../platform/strip-controls.ts';
import { attemptFiles } from '../../farm/process-names.ts';
import { agentEnvironment } from '../../host/agent-environment.ts';
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

const SHOWN = 4000;

/**
 * True when the conversation can be resumed. Agents write it down some 100 ms after it was said (claude: 50 to 300): one
 * that was killed before has none, and the next start ends at once (claude, gemini) or waits for ever (codex).
 */
async function isWrittenDown(transcript: string | undefined): Promise<boolean> {
  // A path that nobody told says nothing: opencode keeps conversations in a database.
  return transcript === undefined || ((await readIfThere(transcript)) ?? '').includes('"user');
}

/** The prompt of a relaunched process: to go on, or, in a new conversation, a summary of the one before. */
async function handOff(farm: Host, facts: RelaunchFacts, { why }: { why: string }, sameConversation: boolean): Promise<string> {
  if (sameConversation)
    return `Your process ended (${why}) and was started again. Your worktree is as you left it. Go on with your task where you stopped, and finish it as you were told.\n`;
  const { row } = facts;
  const first = (await readIfThere(attemptFiles(farm.places, row.agent, row.id).prompt)) ?? '';
  const note = await noteOf(farm, facts, why);
  await writeWhole(`${attemptFiles(farm.places, row.agent, row.id, row.launch).folder}/hand-off.md`, note);
  return `${first.trimEnd()}\n\n${note}`;
}

/** The hand-off file: the state of the work by what is in the worktree, and the last words of the one before. */
async function noteOf(farm: Host, { row, agent, supervision }: RelaunchFacts, why: string): Promise<string> {
  await farm.ownGits.look(row.agent);
  const linked = await linkedAt(farm.repo, agent.worktree);
  const ask = async (...args: string[]) =>
    linked
      ? clean((await tryGit(farm.repo, args, inWorktree(farm.repo, linked))).stdout)
          .trim()
          .slice(0, SHOWN)
      : '';
  const commits = await ask('log', '--oneline', '--no-decorate', '-n', '30', `${row.base}..HEAD`);
  const status = await ask('status', '--short');
  const last = clean(supervision?.turn?.last ?? '').slice(-SHOWN);
  const part = (title: string, text: string) => (text ? `\n\n${title}\n\n\`\`\`text\n${text}\n\`\`\`` : '');
  return [
    '## You take over from a conversation that ended',
    `\n\nIt worked on this very task in this worktree and ended: ${why}. What it did is on the branch and in the files; go on from there.`,
    part('Its commits:', commits),
    part('Changed and not committed:', status),
    part('The last it said:', last),
    '\n',
  ].join('');
}
