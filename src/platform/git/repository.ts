import { access, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve as resolvePath } from 'node:path';
import { FurrowError, isErrno } from '../error.ts';
import { GitError, git, type Repo, tryGit } from './run.ts';
import { type Identity, userConfig } from './user.ts';

const OLDEST = [2, 38] as const;

/** The repository that a folder, or any worktree, belongs to. */
export async function findRepo(from: string): Promise<Repo> {
  if (!(await stat(from).catch(() => undefined))?.isDirectory()) throw new FurrowError('NO_SUCH_FOLDER', `${from} is not a folder`);
  const here: Repo = { root: await realpath(from), gitDir: '' };
  await assertGit(here);
  const args = ['rev-parse', '--path-format=absolute', '--git-common-dir', '--git-dir', '--is-bare-repository'];
  const done = await tryGit(here, args);
  if (done.code !== 0) throw notFound(from, done.stderr);
  const [common = '', own = '', bare] = done.stdout.split('\n');
  if (bare === 'true') throw bareRepository(from);
  const gitDir = await realpath(common);
  const repo: Repo = { gitDir, root: await mainWorktree(here, gitDir, await realpath(own)) };
  await assertCommits(repo);
  return repo;
}

async function assertGit(here: Repo): Promise<void> {
  const hint = 'install git 2.38 or newer';
  const done = await tryGit(here, ['version']).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) throw new FurrowError('MISSING', 'git is not installed', { hint });
    throw error;
  });
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(done.stdout) ?? []).slice(1).map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new FurrowError('MISSING', `${done.stdout.trim() || 'this git'} is too old: merge-tree needs 2.38`, { hint });
  }
}

function notFound(from: string, stderr: string): FurrowError {
  if (stderr.includes('bare repository')) return bareRepository(from);
  if (stderr.includes('dubious ownership')) {
    return new FurrowError('NOT_YOURS', `the repository of ${from} belongs to another user`, { hint: `ls -ld ${from}` });
  }
  return new FurrowError('NOT_A_REPOSITORY', `${from} is not in a git repository`, { hint: 'git init' });
}

function bareRepository(from: string): FurrowError {
  return new FurrowError('BARE_REPOSITORY', `${from} is a bare repository; furrow needs one with a checkout`, {
    hint: `git clone ${from}`,
  });
}

/** A linked worktree knows the shared `.git` only, and that is not always `<root>/.git` (submodules, --separate-git-dir). */
async function mainWorktree(here: Repo, gitDir: string, own: string): Promise<string> {
  if (own === gitDir) return realpath(await git(here, ['rev-parse', '--show-toplevel']));
  const set = await tryGit(here, ['config', '--file', join(gitDir, 'config'), '--get', 'core.worktree']);
  if (set.code === 0) return realpath(resolvePath(gitDir, set.stdout.trim()));
  if (basename(gitDir) === '.git') return dirname(gitDir);
  throw new FurrowError('BARE_REPOSITORY', `the main checkout of ${gitDir} cannot be found from here`, {
    hint: 'run furrow in the main checkout',
  });
}

async function assertCommits(repo: Repo): Promise<void> {
  const head = await tryGit(repo, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head.code === 0 || (await git(repo, ['for-each-ref', '--count=1', 'refs/heads']))) return;
  throw new FurrowError('NO_COMMITS', 'the repository has no commit yet, so there is nothing to branch from', {
    hint: 'git commit --allow-empty -m start',
  });
}

export interface DefaultTarget {
  readonly branch: string;
  readonly reason: string;
}

/** The branch to land on when none is configured: the remote's default if it is here, else main, else master, else the one checked out. */
export async function defaultTarget(repo: Repo): Promise<DefaultTarget> {
  const head = await tryGit(repo, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const remote = await tryGit(repo, ['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']);
  const candidates: DefaultTarget[] = [
    { branch: remote.stdout.trim().replace(/^origin\//, ''), reason: 'it is the default branch of origin' },
    { branch: 'main', reason: 'no `target:` is set and there is a branch main' },
    { branch: 'master', reason: 'no `target:` is set and there is a branch master' },
    { branch: head.stdout.trim(), reason: 'it was checked out when the farm first started, and there is no main or master' },
  ];
  for (const one of candidates.filter(({ branch }) => branch)) {
    if ((await tryGit(repo, ['show-ref', '--verify', '--quiet', `refs/heads/${one.branch}`])).code === 0) return one;
  }
  throw new FurrowError('DETACHED_HEAD', 'no branch is checked out and there is no main or master to land on', {
    hint: 'set `target:` in furrow.yaml',
  });
}

export interface WorktreeInfo {
  readonly path: string;
  readonly head: string;
  /** The full ref, `null` when detached. */
  readonly branch: string | null;
  /** The reason, perhaps empty; `null` when not locked. */
  readonly locked: string | null;
  readonly prunable: boolean;
}

/** Every worktree as git sees it, the main one first. */
export async function worktrees(repo: Repo): Promise<WorktreeInfo[]> {
  const blocks = (await listPatiently(repo)).split('\0\0').filter(Boolean);
  return blocks.map((block, at) => {
    const fields = new Map(block.split('\0').map((line): [string, string] => splitOnce(line)));
    return {
      // Of a repository whose git folder is elsewhere (--separate-git-dir, a submodule) git names that folder.
      path: at === 0 ? repo.root : (fields.get('worktree') ?? ''),
      head: fields.get('HEAD') ?? '',
      branch: fields.get('branch') ?? null,
      locked: fields.get('locked') ?? null,
      prunable: fields.has('prunable'),
    };
  });
}

function splitOnce(line: string): [string, string] {
  const cut = line.indexOf(' ');
  return cut < 0 ? [line, ''] : [line.slice(0, cut), line.slice(cut + 1)];
}

/** A worktree that somebody is just adding makes the list fail for the few milliseconds until its files are written. */
async function listPatiently(repo: Repo): Promise<string> {
  const args = ['worktree', 'list', '--porcelain', '-z'];
  for (let attempt = 1; ; attempt++) {
    const done = await tryGit(repo, args);
    if (done.code === 0) return done.stdout;
    if (attempt === 6 || !isHalfAdded(done.stderr)) throw new GitError(args, done);
    await new Promise((again) => setTimeout(again, attempt * (20 + Math.random() * 60)));
  }
}

/** `failed to read .git/worktrees/X/commondir: Success`: a sibling's add is under way, or was killed half-way. */
export function isHalfAdded(stderr: string): boolean {
  return /failed to read .*worktrees.*(commondir|gitdir|HEAD)/.test(stderr);
}

const OPERATIONS: readonly [file: string, name: string][] = [
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['sequencer', 'sequence of picks'],
  ['BISECT_LOG', 'bisect'],
  ['index.lock', 'index.lock'],
];

/** The unfinished operation in a worktree (its own git dir is given): a merge, a rebase, …, or a process that writes the index. */
export async function operationInProgress(gitDirOfWorktree: string): Promise<string | undefined> {
  for (const [file, name] of OPERATIONS) {
    const there = await access(join(gitDirOfWorktree, file)).then(
      () => true,
      () => false,
    );
    if (there) return name;
  }
  return undefined;
}

/** Filters of the user's that rewrite files on checkout, and that git of ours does not run; git-lfs has one of ours. */
export async function userFilters(repo: Repo): Promise<string[]> {
  return [...(await userConfig(repo)).filters.values()].filter((one) => one.rewrites && !one.lfs).map((one) => one.name);
}

/** The user as their own git names them; ours when they never said. */
export async function identityOf(repo: Repo): Promise<Identity> {
  return (await userConfig(repo)).identity ?? { name: 'furrow', email: 'furrow@localhost' };
}
