import { BRANCHES } from '../../journal/branch.ts';
import { git, type Repo } from '../../platform/git/run.ts';

/** A landing as described by its commit. */
export interface FoundLanding {
  readonly commit: string;
  readonly tree: string;
  readonly parent: string;
  readonly at: number;
  readonly subject: string;
  readonly tasks: readonly FoundTask[];
}

export interface FoundTask {
  /** `phase/id`. */
  readonly ref: string;
  readonly attempt: number;
  readonly agent: string | null;
}

const FORMAT = '%x01%H%x00%T%x00%P%x00%ct%x00%s%x00%(trailers:only,unfold)';

/** The landings on the first-parent chains of some commits, newest first, read from their trailers. */
export async function landingsOn(repo: Repo, tips: readonly string[]): Promise<FoundLanding[]> {
  if (tips.length === 0) return [];
  const out = await git(repo, ['log', '--first-parent', '--grep=^Furrow-Task: ', `--format=${FORMAT}`, ...tips, '--']);
  return out
    .split('\x01')
    .filter(Boolean)
    .map((record) => {
      const [commit = '', tree = '', parents = '', at = '0', subject = '', trailers = ''] = record.split('\0');
      return { commit, tree, parent: parents.split(' ')[0] ?? '', at: Number(at) * 1000, subject, tasks: tasksIn(trailers) };
    })
    .filter(({ tasks }) => tasks.length > 0);
}

/** Each `Furrow-Task` begins a task; the trailers up to the next one belong to it. */
export function tasksIn(trailers: string): FoundTask[] {
  const tasks: { id: string; phase: string; attempt: number; agent: string | null }[] = [];
  for (const line of trailers.split('\n')) {
    const [, name, value = ''] = /^Furrow-(Task|Branch|Phase|Attempt|Agent): (.+)$/.exec(line.trim()) ?? [];
    const last = tasks.at(-1);
    if (name === 'Task') tasks.push({ id: value, phase: 'default', attempt: 1, agent: null });
    else if (last && name === 'Phase') last.phase = value;
    else if (last && name === 'Branch') last.phase = BRANCHES;
    else if (last && name === 'Attempt') last.attempt = Number(value) || 1;
    else if (last && name === 'Agent') last.agent = value;
  }
  return tasks.map(({ id, phase, attempt, agent }) => ({ ref: `${phase}/${id}`, attempt, agent }));
}
