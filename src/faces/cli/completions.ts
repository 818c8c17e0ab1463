import type { ListedTask } from '../../api/contract.ts';
import { visible } from '../../platform/visible.ts';
import type { Ask, Context } from './command.ts';
import type { Candidate } from './complete.ts';
import { cut } from './view/columns.ts';

/** Something that words come from: the farm, or git. */
type Source = 'task' | 'current-task' | 'queued' | 'agent' | 'check' | 'branch' | 'kind' | 'question' | 'phase';

/** Those that stand for several things take the words of each. */
const SOURCES: Readonly<Partial<Record<Ask, readonly Source[]>>> = {
  work: ['current-task', 'queued'],
  'work-or-agent': ['current-task', 'queued', 'agent'],
  output: ['task', 'queued', 'agent', 'check'],
  place: ['task', 'agent', 'branch'],
};

/** All words that could stand for it, each once. What one source cannot answer, because no farm runs say, leaves out its words only. */
export async function offers(context: Context, ask: Ask): Promise<Candidate[]> {
  const sources = SOURCES[ask] ?? [ask as Source];
  const words = (await Promise.all(sources.map((source) => WORDS[source](context).catch(() => [])))).flat();
  return [...new Map(words.map((one) => [one.word, one])).values()];
}

const WORDS: Record<Source, (context: Context) => Promise<Candidate[]>> = {
  task: async (context) => (await tasks(context)).map(named),
  'current-task': async (context) => (await tasks(context)).filter((task) => task.state !== 'archived').map(named),
  queued: async (context) => {
    const { entries } = await (await running(context)).call('queue', {});
    return entries.map((entry) => ({ word: entry.task, says: entry.title }));
  },
  agent: async (context) => {
    const { agents } = await (await running(context)).call('status', {});
    return agents.map((agent) => ({ word: agent.name, says: agent.title ?? agent.state }));
  },
  check: async (context) => {
    const { checks } = await (await running(context)).call('flakes', {});
    return checks.map((check) => ({ word: check.name, says: 'a check' }));
  },
  branch: branches,
  kind: async (context) => {
    const { config } = await (await running(context)).call('config', {});
    const { agents = {} } = config as { agents?: Record<string, { driver?: string }> };
    return Object.entries(agents).map(([word, { driver }]) => ({ word, says: `driver ${driver}` }));
  },
  question: async (context) => {
    const { attention } = await (await running(context)).call('status', {});
    return attention.map((question) => ({ word: question.id, says: cut(visible(question.reason), 80) }));
  },
  phase: async (context) => [...new Set((await tasks(context)).map((task) => task.phase))].map((word) => ({ word, says: 'a phase' })),
};

/** A farm that does not run is not started for a Tab key. */
const running = (context: Context) => context.farm({ start: false });
const tasks = async (context: Context) => (await (await running(context)).call('list', {})).tasks;
const named = (task: ListedTask): Candidate => ({ word: task.id, says: task.title });

/** Local branches, without those of agents: known to git, whether a farm runs or not. */
async function branches(context: Context): Promise<Candidate[]> {
  const { git } = await import('../../platform/git/run.ts');
  const out = await git(context.place(), ['for-each-ref', '--format=%(refname:short)', 'refs/heads/'], { timeoutMs: 2000 });
  const names = out.split('\n').filter((name) => name !== '' && !name.startsWith('furrow/'));
  return names.map((word) => ({ word, says: 'a branch' }));
}
