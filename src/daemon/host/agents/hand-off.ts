import { readIfThere, writeWhole } from '../../../platform/files.ts';
import { inWorktree, linkedAt } from '../../../platform/git/admin.ts';
import { tryGit } from '../../../platform/git/run.ts';
import { clean } from '../../../platform/strip-controls.ts';
import type { RelaunchFacts } from '../../acts/attempt-relaunch/arguments.ts';
import { attemptFiles } from '../../farm/farm.ts';
import type { Host } from '../host.ts';

const SHOWN = 4000;

/**
 * True when the conversation can be resumed. Agents write it down some 100 ms after it was said (claude: 50 to 300): one
 * that was killed before has none, and the next start ends at once (claude, gemini) or waits for ever (codex).
 */
export async function isWrittenDown(transcript: string | undefined): Promise<boolean> {
  // A path that nobody told says nothing: opencode keeps conversations in a database.
  return transcript === undefined || ((await readIfThere(transcript)) ?? '').includes('"user');
}

/** The prompt of a relaunched process: to go on, or, in a new conversation, a summary of the one before. */
export async function handOff(farm: Host, facts: RelaunchFacts, { why }: { why: string }, sameConversation: boolean): Promise<string> {
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
