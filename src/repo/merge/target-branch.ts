import { FurrowError } from '../../platform/error.ts';
import { plantedAt } from '../../platform/git/own-ref.ts';
import type { Repo } from '../../platform/git/run.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';

/**
 * The reason why a target is no branch to land on; `undefined`: it is one, or does not exist. A symbolic ref is not followed: moving the
 * branch behind it would leave the checkouts of both names behind, and the person's next commit would undo the landing.
 */
export function noBranch({ gitDir }: Repo, target: string): FurrowError | undefined {
  const found = plantedAt(gitDir, `refs/heads/${target}`);
  if (!found) return undefined;
  const branch = /^a symbolic ref to refs\/heads\/(.+)$/.exec(found.what)?.[1];
  const hint =
    branch === undefined
      ? `ls -l ${quotedIfNeeded(found.path)}`
      : `set \`target: ${branch}\` in furrow.yaml, or git symbolic-ref -d refs/heads/${target} && git branch ${target} ${branch}`;
  return new FurrowError('TARGET_NO_BRANCH', `nothing lands on ${target}: ${found.path} is ${found.what}, and no branch of its own`, {
    hint,
  });
}
