import { join } from 'node:path';
import { FurrowError } from '../error.ts';
import { exec, type Finished } from '../exec.ts';
import { isBelow } from '../places.ts';
import { execElsewhere } from '../starter/elsewhere.ts';
import { unlessItWaits } from './blocking-files.ts';
import { assertReadable, brokenFolder } from './broken-git.ts';
import { assertConfigNamesFile } from './config-call.ts';
import { lastingAnswer } from './lasting/answer.ts';
import { registrationOf } from './registrations.ts';
import { userConfig } from './user.ts';

/** A repository, named by two absolute paths: the main worktree (or the bare folder), and the shared `.git`. */
export interface Repo {
  readonly root: string;
  readonly gitDir: string;
  /** The folder with furrow's worktrees of it, if not the usual one (`platform/places.ts`). */
  readonly home?: string;
}

export interface GitOptions {
  /** The worktree to work in; the main one if left out. */
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** Added to the fixed environment: an index file, an author, a date. */
  readonly env?: Readonly<Record<string, string>>;
  /** More `-c key=value` flags. */
  readonly config?: readonly string[];
  readonly signal?: AbortSignal;
  /** `latin1` keeps paths apart that are not UTF-8; send them back as `Buffer.from(text, 'latin1')`. */
  readonly encoding?: 'utf8' | 'latin1';
  /** Called once with git's pid, which the journal needs to prove later whose a lock was. */
  readonly onSpawn?: (pid: number) => void;
}

const TIMEOUT_MS = 120_000;

/**
 * The flags of every git of ours: no hooks, no fsmonitor, no prompts, no background maintenance. Git does not read the configuration of the
 * repository (`git-door.ts`), the user or the system at all; these flags change git's own defaults, and are a second lock.
 */
const FLAGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'safe.bareRepository=explicit',
  'protocol.allow=never',
  'core.pager=cat',
  // With this setting on, every look at a signed commit runs the `gpg.program` of .git/config.
  'log.showSignature=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'core.attributesFile=/dev/null',
  // No replaced commits, for every git of ours alike: merges do not see the repository's refs at all.
  'core.useReplaceRefs=false',
  'advice.detachedHead=false',
  // Without this `worktree add -b` from a remote ref writes .git/config, and 15 of 20 parallel ones failed on its lock.
  'branch.autoSetupMerge=false',
  // Waits half a second, in place of 100 ms, for a ref that another git is just writing.
  'core.filesRefLockTimeout=500',
].flatMap((flag) => ['-c', flag]);

const ENV = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  // No transport: a missing object is an error, and git asks no server for it.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  LC_ALL: 'C',
  // The name in a reflog line; commits get theirs explicitly.
  GIT_COMMITTER_NAME: 'furrow',
  GIT_COMMITTER_EMAIL: 'furrow@localhost',
};

export class GitError extends FurrowError {
  readonly exit: number | null;
  readonly stderr: string;

  constructor(args: readonly string[], done: Finished) {
    super(
      'GIT_FAILED',
      `git ${args.slice(0, 2).join(' ')} failed: ${firstLine(done.stderr) || (done.timedOut ? 'timed out' : `exit ${done.code ?? done.signal}`)}`,
    );
    this.exit = done.code;
    this.stderr = done.stderr;
  }
}

const firstLine = (text: string) => text.split('\n').find(Boolean) ?? '';

/**
 * Runs git and returns how it ended. A git that did not end by itself (killed, timed out) is a `GitError`: its question has no answer,
 * which must not count as "no".
 */
export async function tryGit(repo: Repo, args: readonly string[], options: GitOptions = {}): Promise<Finished> {
  const done = await runGit(repo, args, options);
  if (done.code === null) throw new GitError(args, done);
  return done;
}

/** Does the same for the few callers that can deal with a killed git. */
export async function runGit(repo: Repo, args: readonly string[], options: GitOptions = {}): Promise<Finished> {
  assertConfigNamesFile(args);
  if (repo.gitDir !== '') assertReadable(repo.gitDir);
  const cwd = options.cwd ?? repo.root;
  const own = options.env?.['GIT_DIR'] ?? gitDirOf(repo, cwd);
  const user = await userConfig(repo, isBelow(own, join(repo.gitDir, 'worktrees')) ? own : repo.gitDir);
  // In a folder of our own (`own-object-store.ts`) the same commits must give the same files, whatever the repository's settings.
  const aside = options.env?.['GIT_COMMON_DIR'] !== undefined;
  const config = [...user.flags, ...(aside ? [] : user.repositoryFlags)].flatMap((flag) => ['-c', flag]);
  const more = (options.config ?? []).flatMap((flag) => ['-c', flag]);
  const place = { GIT_DIR: own, GIT_COMMON_DIR: user.door, GIT_WORK_TREE: cwd };
  const asked = keepsGits && !aside && isPlain(options) ? { own, argv: ['git', ...FLAGS, ...config] as const, door: user.door } : undefined;
  const start = async (signal: AbortSignal) =>
    (asked && (await answered(repo, args, options, asked, signal))) ??
    execElsewhere(['git', ...FLAGS, ...config, ...more, ...args], {
      cwd,
      env: { ...plainEnvironment(), ...place, ...user.env, ...options.env },
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      ...(options.input !== undefined && { input: options.input }),
      signal,
      ...(options.encoding && { encoding: options.encoding }),
      ...(options.onSpawn && { onSpawn: options.onSpawn }),
    });
  const done = await unlessItWaits(repo.gitDir, options.signal, start);
  return done.code === 0 ? done : plainly(repo, done, user.door);
}

/** Messages that end with a line of a file that git could not read. */
const QUOTING =
  /^((?:fatal|error): (?:(?:unexpected|unterminated) line in \S+|bad shallow line|unable to normalize alternate object path)): .*$/gm;

/**
 * Makes git's message plain: it names the person's own file in place of one in the git door, and the file because of which git does not
 * accept the folder. A link that was put there while git ran is refused, and what git read through it is in no message.
 */
function plainly(repo: Repo, done: Finished, door: string): Finished {
  if (repo.gitDir !== '') assertReadable(repo.gitDir);
  const broken = /not a git repository/.test(done.stderr) ? brokenFolder(repo.gitDir) : undefined;
  if (broken) throw broken;
  const stderr = done.stderr.replaceAll(door, repo.gitDir).replaceAll(QUOTING, '$1');
  return stderr === done.stderr ? done : { ...done, stderr };
}

let keepsGits = false;

/** From now on lasting gits answer questions where they can. Only the daemon calls this: a command asks too few questions. */
export function keepGits(keep = true): void {
  keepsGits = keep;
}

/** Variables that change no answer about objects and refs. */
const ELSEWHERE = new Set(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE']);

const isPlain = ({ env = {} }: GitOptions) => Object.keys(env).every((name) => ELSEWHERE.has(name));

/** The answer of a lasting git; `undefined` when a new one must be started. */
async function answered(
  { gitDir }: Repo,
  args: readonly string[],
  options: GitOptions,
  { own, argv, door }: { own: string; argv: readonly [string, ...string[]]; door: string },
  signal: AbortSignal,
): Promise<Finished | undefined> {
  const input = typeof options.input === 'string' ? options.input : undefined;
  // Without an index: these questions are about objects and refs, and reading an index takes 10 ms at 50,000 files.
  const env = { ...plainEnvironment(), GIT_DIR: gitDir, GIT_COMMON_DIR: door, GIT_INDEX_FILE: '/nonexistent/index' };
  const done = await lastingAnswer({ gitDir, own, argv, env, args, input, signal, timeoutMs: options.timeoutMs ?? TIMEOUT_MS });
  return done && { ...done, stdout: done.stdout.toString(options.encoding ?? 'utf8') };
}

const plainEnvironment = () => ({ PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/nonexistent', ...ENV });

/** Runs a git that works on no repository, or makes one: its version, `init`. */
export function gitOutside(args: readonly string[], cwd = '/'): Promise<Finished> {
  return exec(['git', ...FLAGS, ...args], { cwd, env: plainEnvironment(), timeoutMs: TIMEOUT_MS });
}

/** The git folder of a worktree: the shared one for the main worktree, its own for a linked one. */
function gitDirOf(repo: Repo, path: string): string {
  if (path === repo.root) return repo.gitDir;
  const linked = registrationOf(repo.gitDir, path);
  if (linked) return linked;
  throw new FurrowError('NOT_REGISTERED', `${path} is no worktree of ${repo.root}`, { hint: 'git worktree list' });
}

/** Runs git and returns its output without the last newline; a non-zero exit is a `GitError`. */
export async function git(repo: Repo, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const done = await tryGit(repo, args, options);
  if (done.code !== 0) throw new GitError(args, done);
  return done.stdout.endsWith('\n') ? done.stdout.slice(0, -1) : done.stdout;
}
