import { git, type Repo } from '../../platform/git/run.ts';
import { type FoundTask, tasksIn } from './trailers.ts';

/**
 * The attempts that commits name as landed, for commits that one commit has and another has not. A rebase, an amended message or a
 * cherry-pick makes another commit of a landing but keeps its trailers, so the work is still there.
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
