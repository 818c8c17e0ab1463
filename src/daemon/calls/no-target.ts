import { FurrowError } from '../../platform/error.ts';
import { resolve } from '../../platform/git/refs.ts';
import { noBranch } from '../../repo/merge/target-branch.ts';
import { openQuestions } from '../../work/question/store.ts';
import type { Farm } from '../farm/farm.ts';

/** Says why there is no commit to start from: the target is no branch, is not there, or could not be looked at, which is a question already. */
export async function noTarget({ repo, target, db }: Pick<Farm, 'repo' | 'target' | 'db'>): Promise<FurrowError> {
  const not = noBranch(repo, target);
  if (not) return not;
  if ((await resolve(repo, `refs/heads/${target}`)) === undefined)
    return new FurrowError('TARGET_MISSING', `there is no branch ${target}`, {
      hint: `git branch ${target} <commit>, or set \`target:\` in furrow.yaml`,
    });
  const why = (await openQuestions(db)).find(({ kind, subject }) => kind === 'target' || (kind === 'act' && subject === 'tick'));
  return new FurrowError('TARGET_UNREAD', `${target} could not be looked at${why ? `: ${why.reason}` : ' yet'}`, { hint: 'furrow doctor' });
}
