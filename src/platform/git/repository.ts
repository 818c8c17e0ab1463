import { existsSync } from 'node:fs';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve as resolvePath, sep } from 'node:path';
import { FurrowError, isErrno } from '../error.ts';
import { quotedIfNeeded } from '../shell.ts';
import { brokenAbove, brokenFolder } from './broken-git.ts';
import { expanded, personSettings, type Setting } from './config-files.ts';
import { type Found, findGit, isGitFolder, recordedCheckout } from './find.ts';
import { canonical } from './registrations.ts';
import { GitError, git, gitOutside, type Repo, tryGit } from './run.ts';
import { type Identity, repositorySettings, userConfig } from './user.ts';

const OLDEST = [2, 38] as const;

/** The repository that a folder, or any worktree, belongs to. */
export async function findRepo(from: string): Promise<Repo> {
  if (!(await stat(from).catch(() => undefined))?.isDirectory()) throw new FurrowError('NO_SUCH_FOLDER', `${from} is not a folder`);
  await assertGit();
  const found = findGit(from);
  const broken = found ? brokenFolder(found.here) : brokenAbove(from)?.why;
  if (broken) throw broken;
  if (!found) throw notFound(from);
  await assertOwner(from, found);
  const gitDir = await realpath(found.gitDir);
  const settings = await repositorySettings({ root: found.folder, gitDir });
  const repo: Repo = { gitDir, root: await mainWorktree(from, found, settings) };
  await assertCommits(repo);
  return repo;
}

/** Makes a repository of our own, without the files of the machine's git template. */
export async function initRepo(repo: Repo): Promise<void> {
  const args = ['init', '--quiet', '--initial-branch=main', '--template=', repo.root];
  const done = await gitOutside(args);
  if (done.code !== 0) throw new GitError(args, done);
  await mkdir(join(repo.gitDir, 'info'), { recursive: true });
}

async function assertGit(): Promise<void> {
  const hint = 'install git 2.38 or newer';
  const done = await gitOutside(['version']).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) throw new FurrowError('MISSING', 'git is not installed', { hint });
    throw error;
  });
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(done.stdout) ?? []).slice(1).map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new FurrowError('MISSING', `${done.stdout.trim() || 'this git'} is too old: merge-tree needs 2.38`, { hint });
  }
}

function notFound(from: string): FurrowError {
  for (let folder = resolvePath(from); ; folder = dirname(folder)) {
    if (isGitFolder(folder)) return bareRepository(from);
    if (dirname(folder) === folder) return new FurrowError('NOT_A_REPOSITORY', `${from} is not in a git repository`, { hint: 'git init' });
  }
}

/**
 * Refuses folders of another owner, unless the person's own git configuration calls the repository safe: who can write one of these decides on the
 * others. Git itself asks only when it finds a repository by looking upwards.
 */
async function assertOwner(from: string, { folder, here, gitDir }: Found): Promise<void> {
  const us = process.geteuid?.();
  if (us === undefined) return;
  const allowed = [us, ...(us === 0 && process.env['SUDO_UID'] ? [Number(process.env['SUDO_UID'])] : [])];
  for (const path of [folder, join(folder, '.git'), here, gitDir]) {
    if (allowed.includes((await stat(path)).uid)) continue;
    if (await isCalledSafe(folder)) return;
    throw new FurrowError('NOT_YOURS', `${path} belongs to another user, so the repository of ${from} is not used`, {
      hint: `git config --global --add safe.directory ${quotedIfNeeded(folder)}, if you trust everybody who can write there`,
    });
  }
}

/** True when `safe.directory` of the person or of the machine names the folder, as git reads it: an empty value forgets those before. */
async function isCalledSafe(folder: string): Promise<boolean> {
  const values = (await personSettings({})).filter(({ key }) => key === 'safe.directory').map(({ value }) => expanded(value));
  const names = values.slice(values.lastIndexOf('') + 1).filter((name) => name === '*' || isAbsolute(name));
  const real = canonical(folder);
  return names.some(
    (name) => name === '*' || (name.endsWith('/*') ? real.startsWith(canonical(name.slice(0, -2)) + sep) : canonical(name) === real),
  );
}

function bareRepository(from: string): FurrowError {
  return new FurrowError('BARE_REPOSITORY', `${from} is a bare repository; furrow needs one with a checkout`, {
    hint: `git clone ${from}`,
  });
}

/**
 * The main checkout. The shared `.git` is not always `<root>/.git` (submodules, --separate-git-dir), and a linked worktree knows only the
 * shared one. `core.worktree` and the farm's own note may be false, so the folder that they name must lead back.
 */
async function mainWorktree(from: string, { folder, here, gitDir }: Found, settings: readonly Setting[]): Promise<string> {
  const last = (key: string) => settings.findLast((one) => one.key === key)?.value;
  const named = last('core.worktree');
  const set = named === undefined ? undefined : canonical(resolvePath(gitDir, named));
  const main = here === gitDir ? folder : set;
  if (set !== undefined && (set !== main || findGit(set)?.folder !== set || findGit(set)?.gitDir !== gitDir))
    throw new FurrowError('FOREIGN_WORKTREE', `core.worktree of ${gitDir} names ${set}, which does not lead back to it`, {
      hint: `git config --file ${quotedIfNeeded(join(gitDir, 'config'))} core.worktree`,
    });
  if (main !== undefined && set !== undefined) return main;
  if (/^(?:true|yes|on|1)$/i.test(last('core.bare') ?? '')) throw bareRepository(from);
  if (main !== undefined) return main;
  if (basename(gitDir) === '.git') return realpath(dirname(gitDir));
  const recorded = recordedCheckout(gitDir);
  if (recorded !== undefined) return recorded;
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

interface DefaultTarget {
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

/** The unfinished operation in a worktree, given its own git dir: a merge, a rebase, …, or a process that writes the index. */
export function operationInProgress(gitDirOfWorktree: string): string | undefined {
  return OPERATIONS.find(([file]) => existsSync(join(gitDirOfWorktree, file)))?.[1];
}

/** The user's filters that rewrite files on checkout. Our git does not run them; for git-lfs we have our own. */
export async function userFilters(repo: Repo): Promise<string[]> {
  return [...(await userConfig(repo)).filters.values()].filter((one) => one.rewrites && !one.lfs).map((one) => one.name);
}

/** The user's name and address as their own git has them; ours if they set none. */
export async function identityOf(repo: Repo): Promise<Identity> {
  return (await userConfig(repo)).identity ?? { name: 'furrow', email: 'furrow@localhost' };
}
