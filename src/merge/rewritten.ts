import { git, type Repo } from '../platform/git/run.ts';
import { idOf, phaseOf } from './message.ts';

/** Names one attempt at a task the way landing commits do in their trailers. */
export const landedAs = (task: string, attempt: number): string => `${phaseOf(task)}/${idOf(task)} ${attempt}`;

/**
 * The attempts that commits say they land, of those which one commit has and another has not. A rebase, an amended message or a
 * cherry-pick makes another commit of a landing, and keeps its trailers: the work is still there.
 */
export async function landedBetween(repo: Repo, not: string, commit: string): Promise<Set<string>> {
  const keys = ['Furrow-Task', 'Furrow-Phase', 'Furrow-Attempt'].map((key) => `key=${key}`).join(',');
  const lines = (await git(repo, ['log', `--format=%(trailers:${keys},unfold)`, commit, `^${not}`, '--'])).split('\n');
  const found = new Set<string>();
  let [id, phase] = ['', 'default'];
  for (const line of lines) {
    const [, key, value = ''] = /^Furrow-(Task|Phase|Attempt): *(.*)$/.exec(line) ?? [];
    if (key === 'Task') [id, phase] = [value, 'default'];
    else if (key === 'Phase') phase = value;
    else if (key === 'Attempt') found.add(`${phase}/${id} ${value}`);
  }
  return found;
}
