import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exec, type Finished } from '../../src/platform/exec.ts';
import { onPostgres, SERVER } from './engines.ts';
import { letGo, remember } from './story.ts';
import { COMPILED, WINDOW_AGENT } from './window-agent.ts';

/** A real repository in a folder of its own, gone when the test ends. */
export interface TestRepo extends AsyncDisposable {
  /** The throwaway folder that holds all of it; its random name is what proves a process to be ours. */
  readonly base: string;
  readonly root: string;
  readonly home: string;
  /** Added to the environment of every `furrow` started for this repository. */
  readonly env: Record<string, string>;
  /** The launcher to use instead of this checkout's. */
  readonly bin?: string;
  git(...args: string[]): Promise<string>;
  tryGit(...args: string[]): Promise<Finished>;
  write(path: string, text: string): Promise<void>;
  commit(message: string): Promise<string>;
}

/** What it takes to run a command in a repository. */
export type Place = Pick<TestRepo, 'root' | 'home' | 'env' | 'bin'>;

const GIT_ENV = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };

/** The environment of somebody who has just logged in: nothing of the test's own leaks into what it starts. */
export function plainEnv(repo: { home: string; env?: Record<string, string> }): Record<string, string> {
  const compiled = process.env[COMPILED];
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: repo.home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    // Every repository of a test is the test's own.
    FURROW_TRUST: '1',
    ...WINDOW_AGENT,
    ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }),
    ...(onPostgres() && { FURROW_STORE: process.env[SERVER]! }),
    FURROW_ISOLATION: process.env['FURROW_ISOLATION'] ?? 'none',
    ...repo.env,
  };
}

export async function gitRepo(files: Record<string, string> = { 'README.md': 'a repository\n' }): Promise<TestRepo> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'furrow-test-')));
  const [root, home] = [join(base, 'repo'), join(base, 'home')];
  await mkdir(root);
  await mkdir(home);
  const repo = handle(base, root, home);
  await repo.git('init', '--quiet', '--initial-branch=main');
  // Three processes for a repository, not six: hundreds of tests make one.
  await appendFile(join(root, '.git/config'), '[user]\n\tname = Test\n\temail = test@furrow.invalid\n');
  for (const [path, text] of Object.entries(files)) await repo.write(path, text);
  await repo.git('add', '-A');
  await repo.git('commit', '--quiet', '--allow-empty', '--message', 'initial');
  return repo;
}

/** A branch of a person's with these files, without leaving the target. */
export async function branchWith(repo: TestRepo, name: string, files: Record<string, string>): Promise<void> {
  await repo.git('checkout', '-q', '-b', name);
  for (const [path, text] of Object.entries(files)) await repo.write(path, text);
  await repo.commit(name);
  await repo.git('checkout', '-q', 'main');
}

/** What a folder that need not be there holds, apart from the compiled code that furrow's own commands keep for the next one. */
export async function leftIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name !== 'node-compile-cache');
}

/** A farm that publishes holds the lock of the user's index for some milliseconds. */
const LOCKED = /Unable to create '.*\/index\.lock': File exists/;
const PATIENCE_MS = 10_000;

/** Git as a person types it: whoever meets the lock of another git waits a moment and says it again. */
async function patiently(run: () => Promise<Finished>): Promise<Finished> {
  for (const until = performance.now() + PATIENCE_MS; ; await pause(50)) {
    const done = await run();
    if (done.code === 0 || !LOCKED.test(done.stderr) || performance.now() > until) return done;
  }
}

function handle(base: string, root: string, home: string): TestRepo {
  const tryGit = (...args: string[]) =>
    patiently(() => exec(['git', ...args], { cwd: root, env: { ...plainEnv({ home }), ...GIT_ENV }, timeoutMs: 60_000 }));
  remember(root);
  const git = async (...args: string[]) => {
    const done = await tryGit(...args);
    if (done.code !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
    return done.stdout.trimEnd();
  };
  return {
    base,
    root,
    home,
    env: {},
    git,
    tryGit,
    write: async (path, text) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    commit: async (message) => {
      await git('add', '-A');
      await git('commit', '--quiet', '--allow-empty', '--message', message);
      return git('rev-parse', 'HEAD');
    },
    [Symbol.asyncDispose]: () => {
      letGo(root);
      return discard(base);
    },
  };
}

/** A farm deletes in the background; a folder that fills up while it is removed is tried again, then an error. */
async function discard(base: string): Promise<void> {
  await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  if (existsSync(base)) throw new Error(`${base} is still there`);
}
