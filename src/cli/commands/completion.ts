import type { Client } from '../../api/client.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Context } from '../command.ts';
import { type Candidate, type Candidates, candidates, SCRIPTS } from '../complete.ts';
import { shown } from '../find.ts';
import { safe } from '../view/safe.ts';

export async function completion(context: Context): Promise<void> {
  const shell = context.words.need('SHELL');
  const script = SCRIPTS[shell];
  if (script === undefined) {
    throw new FurrowError('USAGE', `there is no completion for ${shell}, only for ${Object.keys(SCRIPTS).join(', ')}`, {
      hint: 'furrow completion bash',
    });
  }
  context.print(script.trimEnd());
}

/** One candidate a line, its meaning after a tab. A farm that does not run is not started for a Tab key, and no error is shown. */
export async function words(context: Context): Promise<void> {
  const line = context.words.list('WORDS') ?? [];
  const { fixed, ask } = candidates(shown(context.commands), line);
  const live = ask === undefined ? [] : await fromFarm(context, ask).catch(() => []);
  const typed = line.at(-1) ?? '';
  const fitting = [...fixed, ...safe(live)].filter((candidate) => candidate.word.startsWith(typed));
  context.print(...fitting.map(({ word, says }) => `${word}\t${says.replace(/\s+/g, ' ')}`));
}

async function fromFarm(context: Context, ask: NonNullable<Candidates['ask']>): Promise<Candidate[]> {
  if (ask === 'branch') return branches(context);
  const farm: Client = await context.farm({ start: false });
  if (ask === 'kind') {
    const { agents = {} } = (await farm.call('config', {})).config as { agents?: Record<string, { driver?: string }> };
    return Object.entries(agents).map(([word, { driver }]) => ({ word, says: `driver ${driver}` }));
  }
  if (ask === 'agent' || ask === 'question') {
    const { agents, attention } = await farm.call('status', {});
    if (ask === 'agent') return agents.map((agent) => ({ word: agent.name, says: agent.title ?? agent.state }));
    return attention.map((question) => ({ word: question.id, says: question.reason }));
  }
  const { tasks } = await farm.call('list', {});
  if (ask === 'subject') {
    const [{ agents }, { checks }] = await Promise.all([farm.call('status', {}), farm.call('flakes', {})]);
    return [
      ...tasks.map((task) => ({ word: task.id, says: task.title })),
      ...agents.map((agent) => ({ word: agent.name, says: agent.title ?? agent.state })),
      ...checks.map((check) => ({ word: check.name, says: 'a check' })),
    ];
  }
  if (ask === 'task') return tasks.map((task) => ({ word: task.id, says: task.title }));
  if (ask === 'work') {
    const branches = (await farm.call('queue', {})).entries.filter((entry) => !tasks.some((task) => task.id === entry.task));
    const words = [
      ...tasks.map((task) => ({ word: task.id, says: task.title })),
      ...branches.map((one) => ({ word: one.task, says: one.title })),
    ];
    return [...new Map(words.map((one) => [one.word, one])).values()];
  }
  return [...new Set(tasks.map((task) => task.phase))].map((phase) => ({ word: phase, says: 'a phase' }));
}

/** Local branches, without those of agents: known to git, whether a farm runs or not. */
async function branches(context: Context): Promise<Candidate[]> {
  const { exec } = await import('../../platform/exec.ts');
  const { stdout: out } = await exec(['git', 'for-each-ref', '--format=%(refname:short)', 'refs/heads/'], {
    cwd: context.place().root,
    env: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 2000,
  });
  const names = out.split('\n').filter((name) => name !== '' && !name.startsWith('furrow/'));
  return names.map((word) => ({ word, says: 'a branch' }));
}
