import { inWorktree, type Linked } from '../../platform/git/admin.ts';
import { diffPaths } from '../../platform/git/objects.ts';
import { plantedAt } from '../../platform/git/own-ref.ts';
import { resolve } from '../../platform/git/refs.ts';
import { operationInProgress } from '../../platform/git/repository.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { changes, isSpecial } from '../../platform/git/status.ts';
import { editedSubmodules } from '../../platform/git/submodules/changed.ts';
import { ownWorktree } from './own.ts';

/** The work that an ended attempt left in its worktree. */
export interface Harvest {
  /** The branch's tip; `undefined` when the agent deleted the branch. */
  readonly tip: string | undefined;
  readonly head: string | undefined;
  /** HEAD is not on the attempt's branch. */
  readonly detached: boolean;
  /** Commits of the branch that the base does not have. */
  readonly commits: number;
  /** The commits that the target does not have either: an agent that merged the target brought many that are not its own. */
  readonly own: number;
  readonly dirty: boolean;
  /** Uncommitted paths; a new folder is one path, with a slash at its end. */
  readonly uncommitted: string[];
  /** The uncommitted paths where a named pipe, a socket or a device is in a file's place. */
  readonly special: string[];
  /** Paths that differ between the branch and the point where it left the base. */
  readonly changed: string[];
  readonly operation: string | undefined;
  /** Submodules with changed files that are in no commit. */
  readonly submodules?: readonly string[];
  /** A description, when the branch is something that furrow does not follow: a symbolic ref, a named pipe. Then it has no tip. */
  readonly planted: string | undefined;
}

/** Two letters and a space, before each path. */
const STATUS = 3;

export async function harvest(repo: Repo, path: string, from: { branch: string; base: string; target?: string }): Promise<Harvest> {
  const linked = await ownWorktree(repo, path);
  const ref = `refs/heads/${from.branch}`;
  const planted = plantedAt(repo.gitDir, ref);
  // Through HEAD, git would follow what was planted too.
  if (planted) return { ...EMPTY, planted: `${ref} is ${planted.what}` };
  const tip = await resolve(repo, ref);
  const detached = linked.head !== `ref: ${ref}`;
  // On its own branch, HEAD is its tip. A git for each of 100 agents that are stopped together took a seventh of the time.
  const head = detached ? await headOf(repo, linked) : tip;
  const { commits, own, changed } = tip ? await ahead(repo, from, tip) : NOTHING;
  const uncommitted = (await changes(repo, linked)).map((line) => line.slice(STATUS));
  return {
    tip,
    head,
    detached,
    commits,
    own,
    dirty: uncommitted.length > 0,
    uncommitted,
    special: uncommitted.filter((path) => isSpecial(linked.path ?? '', Buffer.from(path).toString('latin1'))),
    changed,
    operation: operationInProgress(linked.admin),
    submodules: await editedSubmodules(repo, linked),
    planted: undefined,
  };
}

async function headOf(repo: Repo, linked: Linked): Promise<string | undefined> {
  const head = await tryGit(repo, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], inWorktree(repo, linked));
  return head.code === 0 ? head.stdout.trim() : undefined;
}

const EMPTY: Harvest = {
  ...{ tip: undefined, head: undefined, detached: false, commits: 0, own: 0, dirty: false },
  ...{ uncommitted: [], special: [], changed: [], operation: undefined, planted: undefined },
};

type Ahead = Pick<Harvest, 'commits' | 'own' | 'changed'>;

const NOTHING: Ahead = { commits: 0, own: 0, changed: [] };

/** Looks at the commits that a branch has beyond the one that it began from. */
export async function ahead(repo: Repo, { base, target = base }: { base: string; target?: string }, tip: string): Promise<Ahead> {
  if (tip === base) return NOTHING;
  const count = async (...without: string[]) => Number(await git(repo, ['rev-list', '--count', tip, ...without.map((one) => `^${one}`)]));
  const [commits, own, fork] = await Promise.all([count(base), count(base, target), tryGit(repo, ['merge-base', target, tip])]);
  return { commits, own, changed: await diffPaths(repo, fork.code === 0 ? (fork.stdout.split('\n')[0] ?? base) : base, tip) };
}
