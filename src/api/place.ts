import { existsSync, lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FurrowError } from '../platform/error.ts';
import { brokenAbove } from '../platform/git/broken-git.ts';
import { findGit, isGitFolder, leadsBack, read, recordedCheckout } from '../platform/git/find.ts';

/** The repository in which a command runs. Found by reading a few files: a `git rev-parse` would cost every command 3 ms and a fork. */
export interface Place {
  /** The main checkout of the repository, whichever of its worktrees we are in. */
  readonly root: string;
  /** The git folder that all worktrees share. */
  readonly gitDir: string;
  /** The git folder of the worktree we are in; the same as `gitDir` in the main checkout. */
  readonly here: string;
}

/** Walks up to the first `.git`. `undefined` for no repository, a bare one, and a worktree whose main checkout cannot be known. */
export function findRoot(from: string): Place | undefined {
  const found = findGit(from);
  if (found === undefined) return undefined;
  const { folder, here, gitDir } = found;
  if (isBare(gitDir)) return undefined;
  const root = here === gitDir ? folder : mainCheckout(gitDir);
  return root === undefined ? undefined : { root, gitDir, here };
}

const configOf = (gitDir: string) => read(join(gitDir, 'config')) ?? '';
const isBare = (gitDir: string) => /^\s*bare\s*=\s*true\s*$/im.test(configOf(gitDir));

/** Of a linked worktree. A submodule's git folder names its checkout; one that is kept apart does not. */
function mainCheckout(gitDir: string): string | undefined {
  if (basename(gitDir) === '.git') return dirname(gitDir);
  const named = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(configOf(gitDir))?.[1];
  const set = named === undefined ? undefined : resolve(gitDir, named);
  return set !== undefined && leadsBack(set, gitDir) ? set : recordedCheckout(gitDir);
}

export function placeFrom(from: string): Place {
  const place = findRoot(from);
  if (place) return place;
  if (isGitFolder(from)) {
    throw new FurrowError('BARE_REPOSITORY', `${from} is a bare repository; furrow needs one with a checkout`, {
      hint: `git clone ${from}`,
    });
  }
  const broken = brokenAbove(from);
  // Its daemon may still run, and can be asked and stopped; one that starts says what is broken.
  if (broken && existsSync(join(broken.folder, '.git', 'furrow.run')))
    return { root: broken.folder, gitDir: join(broken.folder, '.git'), here: join(broken.folder, '.git') };
  if (broken) throw broken.why;
  const git = findGit(from);
  if (git && git.here !== git.gitDir && !isBare(git.gitDir))
    throw new FurrowError('BARE_REPOSITORY', `the main checkout of ${git.gitDir} cannot be found from here`, {
      hint: 'run furrow in the main checkout',
    });
  throw new FurrowError('NOT_A_REPOSITORY', `${from} is not inside a git repository with a checkout`, {
    hint: 'git init, or name the repository with --repo PATH',
  });
}

/** The branch checked out here; `undefined` when HEAD is detached or its file does not tell (reftable). */
export function branchHere(place: Place): string | undefined {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(read(join(place.here, 'HEAD')) ?? '')?.[1]?.trim();
  return branch === '.invalid' ? undefined : branch;
}

/** A socket's address may have 108 bytes on Linux and 104 on macOS, with the final zero. */
const LONGEST = 100;

/**
 * The address of a repository's daemon, from its root alone. Not `os.tmpdir()`: an agent with a `TMPDIR` of its
 * own would look for the daemon elsewhere.
 */
export function socketPath(root: string): string {
  const beside = join(root, '.furrow', 'run', 'daemon.sock');
  return fits(beside) ? beside : join(shortFolder(root), 'daemon.sock');
}

/**
 * The folder of one attempt's door: the socket by which its agent calls the daemon. It is beside the daemon's own socket, unless the
 * door's address would be too long there.
 */
export function doorFolder(root: string, attempt: number): string {
  const beside = join(dirname(socketPath(root)), 'doors', String(attempt));
  return fits(join(beside, DOOR)) ? beside : join(shortFolder(root), 'doors', String(attempt));
}

export const doorSocket = (root: string, attempt: number): string => join(doorFolder(root, attempt), DOOR);

/** Beside the door of an attempt: the way to the hosts that it may call, for one that has no network. */
export const netSocket = (root: string, attempt: number): string => join(doorFolder(root, attempt), 'net.sock');

/** The same way for checks and set-up, in a folder of its own. */
export const commandNetSocket = (root: string): string => join(dirname(dirname(doorFolder(root, 0))), 'net', 'net.sock');

/** The door that the environment of an agent of this repository names; an agent of another farm has none here. */
export function doorHere(root: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const door = env['FURROW_DOOR'];
  const attempt = /\/doors\/(\d+)\/[^/]+$/.exec(door ?? '')?.[1];
  return attempt !== undefined && doorSocket(root, Number(attempt)) === door ? door : undefined;
}

/** The folder of files by which callers at this socket prove which process they are. */
export const proofFolder = (socket: string): string => join(dirname(socket), 'proofs');

const DOOR = 'furrow.sock';

const fits = (socket: string) => Buffer.byteLength(socket) <= LONGEST;

function shortFolder(root: string): string {
  // Loaded only here: the import would cost every command 2 ms.
  const { hash } = process.getBuiltinModule('node:crypto');
  return join('/tmp', `furrow-${process.getuid?.() ?? 0}-${hash('sha256', root).slice(0, 12)}`);
}

/**
 * True when the farm of this repository knows that it is here. After a move or in a copy its socket may still lead to the
 * daemon of the old place, for the second until that one ends.
 */
export function farmIsHere(root: string): boolean {
  const gitDir = findRoot(root)?.gitDir;
  const file = gitDir && read(join(gitDir, 'furrow.run', 'farm.json'));
  if (!file) return true;
  try {
    const { gitDir: named, read: looked } = JSON.parse(file) as { gitDir?: unknown; read?: unknown };
    return named === gitDir || looked === gitDir;
  } catch {
    return true;
  }
}

/** True when the socket's folder belongs to this user alone: in a shared `/tmp` somebody else could listen at that name. */
export function isOurs(socket: string): boolean {
  const stat = statOf(dirname(socket));
  if (!stat?.isDirectory()) return false;
  return stat.uid === (process.getuid?.() ?? stat.uid) && (stat.mode & 0o022) === 0;
}

/** Undefined also when a file is in the place of a folder. */
function statOf(path: string) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
