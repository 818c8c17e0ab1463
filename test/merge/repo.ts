import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Repo } from '../../src/platform/git/run.ts';

const ENV = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '1700000000 +0000',
  GIT_COMMITTER_DATE: '1700000000 +0000',
};

/** What a user at a terminal does: plain git, none of our wrapper. */
export class TestRepo implements Repo, Disposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'furrow-merge-')));
  readonly root = join(this.folder, 'repo');
  readonly gitDir = join(this.root, '.git');

  constructor(format: 'sha1' | 'sha256' = 'sha1') {
    mkdirSync(this.root);
    this.git('init', '-q', '-b', 'main', `--object-format=${format}`);
    this.write({ 'a.txt': lines('a'), 'b.txt': lines('b'), 'c.txt': lines('c'), '.gitignore': '*.ignored\n.furrow/\n' });
    this.commit('start');
  }

  git(...args: string[]): string {
    return this.gitIn(this.root, ...args);
  }

  gitIn(cwd: string, ...args: string[]): string {
    return execFileSync('git', args, { cwd, env: ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd();
  }

  write(files: Record<string, string>, under = this.root): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(under, path)), { recursive: true });
      writeFileSync(join(under, path), text);
    }
  }

  /** Commits everything there is in the checkout. */
  commit(message: string): string {
    this.git('add', '-A', '-f');
    this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** A commit on top of another, made without touching the checkout. `null` deletes a file. */
  commitOn(parent: string, files: Record<string, string | null>, message = 'work', author = 'Ada <ada@example.com>'): string {
    const index = join(this.folder, 'index');
    const [name = '', email = ''] = author.replace('>', '').split(' <');
    const env = { ...ENV, GIT_INDEX_FILE: index, GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email };
    const run = (input: string | undefined, ...args: string[]) => execFileSync('git', args, { cwd: this.root, env, encoding: 'utf8', input: input ?? '' }).trimEnd();
    run(undefined, 'read-tree', parent);
    for (const [path, text] of Object.entries(files)) {
      if (text === null) run(undefined, 'rm', '-q', '-r', '--cached', path);
      else run(undefined, 'update-index', '--add', '--replace', '--cacheinfo', `100644,${run(text, 'hash-object', '-w', '--stdin')},${path}`);
    }
    const commit = run(undefined, 'commit-tree', run(undefined, 'write-tree'), '-p', parent, '-m', message);
    rmSync(index);
    return commit;
  }

  show(rev: string): string {
    return this.git('show', rev);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function lines(name: string, changed: Record<number, string> = {}): string {
  return Array.from({ length: 20 }, (_, at) => `${changed[at] ?? `${name} ${at}`}\n`).join('');
}
