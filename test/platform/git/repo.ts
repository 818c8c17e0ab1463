import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findRepo } from '../../../src/platform/git/repository.ts';
import type { Repo } from '../../../src/platform/git/run.ts';
import { makePlaces, type Places, placesOf } from '../../../src/platform/places.ts';

export interface TestRepo extends Repo, AsyncDisposable {
  readonly places: Places;
  /** Runs the user's git, in the main checkout or another folder, and gives its output trimmed. */
  sh(args: readonly string[], cwd?: string): string;
  write(path: string, text: string | Uint8Array): void;
  /** Commits everything in the main checkout and gives the commit. */
  commit(message: string): string;
}

/** A real repository with one commit on `main`, gone when the test ends. */
export async function gitRepo(): Promise<TestRepo> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'furrow-git-')));
  const root = join(base, 'repo');
  mkdirSync(root);
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  const sh = (args: readonly string[], cwd = root) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const write = (path: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  sh(['init', '-q', '-b', 'main']);
  write('readme.md', 'hello\n');
  write('src/a.txt', 'one\ntwo\nthree\n');
  write('.gitignore', 'build/\n.env\n');
  sh(['add', '-A']);
  sh(['commit', '-q', '-m', 'start']);
  const repo = await findRepo(root);
  const places = placesOf(root);
  await makePlaces(places);
  return {
    ...repo,
    places,
    sh,
    write,
    commit(message) {
      sh(['add', '-A']);
      sh(['commit', '-q', '-m', message]);
      return sh(['rev-parse', 'HEAD']);
    },
    async [Symbol.asyncDispose]() {
      rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}
