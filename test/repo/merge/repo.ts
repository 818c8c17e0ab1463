import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Repo } from '../../../src/platform/git/run.ts';

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
    this.git('add', '-A');
    this.git('commit', '-q', '-m', 'start');
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

  /** A commit on top of another, made without touching the checkout. `null` deletes a file. */
  commitOn(parent: string, files: Record<string, string | null>, message = 'work', author = 'Ada <ada@example.com>'): string {
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const changes = Object.entries(files).map(([path, text]) => (text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(text)}`));
    const people = `author ${author} 1700000000 +0000\ncommitter Ada <ada@example.com> 1700000000 +0000\n`;
    const input = `commit refs/test/scratch\nmark :1\n${people}${data(message)}from ${parent}\n${changes.join('')}\nget-mark :1\n`;
    const run = { cwd: this.root, env: ENV, encoding: 'utf8', input } as const;
    return execFileSync('git', ['fast-import', '--quiet', '--force'], run).trim();
  }

  show(rev: string): string {
    return this.git('show', rev);
  }

  [Symbol.dispose](): void {
    // A check of a test takes the right to write from some folder.
    execFileSync('chmod', ['-R', 'u+rwX', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function lines(name: string, changed: Record<number, string> = {}): string {
  return Array.from({ length: 20 }, (_, at) => `${changed[at] ?? `${name} ${at}`}\n`).join('');
}
