import { git, type Repo } from '../../platform/git/run.ts';
import { idOf, phaseOf } from './message.ts';
import { type FoundTask, tasksIn } from './trailers.ts';

/** Names one attempt at a task the way landing commits do in their trailers. */
export const landedAs = (task: string, attempt: number): string => `${phaseOf(task)}/${idOf(task)} ${attempt}`;

/**
 * The attempts that commits say they land, of those which one commit has and another has not. A rebase, an amended message or a
 * cherry-pick makes another commit of a landing, and keeps its trailers: the work is still there.
 */
export async function landedBetween(repo: Repo, not: string | undefined, commit: string): Promise<Set<string>> {
  return new Set((await worksBetween(repo, not, commit)).map(({ ref, attempt }) => `${ref} ${attempt}`));
}

/** The same as tasks and attempts. */
export async function worksBetween(repo: Repo, not: string | undefined, commit: string): Promise<FoundTask[]> {
  const keys = ['Task', 'Branch', 'Phase', 'Attempt'].map((key) => `key=Furrow-${key}`).join(',');
  const trailers = await git(repo, ['log', `--format=%(trailers:${keys},unfold)`, commit, ...(not ? [`^${not}`] : []), '--']);
  return tasksIn(trailers);
}
