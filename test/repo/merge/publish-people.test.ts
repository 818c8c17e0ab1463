import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nextEpoch } from '../../../src/repo/merge/epoch.ts';
import { bringAlong } from '../../../src/repo/merge/late-switch.ts';
import { publish } from '../../../src/repo/merge/publish.ts';
import { lines, TestRepo } from './repo.ts';

const ENV = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

/** A person at work in the main checkout, a landing that waits to be published, and a branch `feature` beside main. */
class Desk implements Disposable {
  readonly repo = new TestRepo();
  readonly old = this.repo.git('rev-parse', 'HEAD');
  readonly new = this.repo.commitOn(this.old, { 'a.txt': lines('a', { 2: 'landed' }), 'new.txt': 'landed\n' });
  readonly epoch = nextEpoch(this.repo);
  readonly reached = join(this.repo.folder, 'reached');
  readonly gate = join(this.repo.folder, 'gate');

  constructor() {
    this.repo.git('branch', 'feature', this.repo.commitOn(this.old, { 'b.txt': lines('b', { 3: 'feature' }) }));
  }

  async publish() {
    return publish(this.repo, 'main', { old: this.old, new: this.new, epoch: await this.epoch });
  }

  /** A program for git to run that says that it was reached, and waits. */
  stopper(name: string): string {
    const file = join(this.repo.folder, name);
    execFileSync('mkfifo', [this.gate]);
    writeFileSync(file, `#!/bin/sh\n: > "${this.reached}"\nread line < "${this.gate}"\n`, { mode: 0o755 });
    return file;
  }

  /** Makes the next git that writes an index stop after it: `switch` has not moved HEAD yet. */
  stopAfterIndex(): void {
    mkdirSync(join(this.repo.gitDir, 'hooks'), { recursive: true });
    renameSync(this.stopper('hook'), join(this.repo.gitDir, 'hooks/post-index-change'));
  }

  /** Starts git as a person would, and hands back its end; resolves when it has come to where it stops. */
  async begin(args: string[], env: Record<string, string> = {}) {
    const child = spawn('git', args, { cwd: this.repo.root, env: { ...ENV, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const ended = once(child, 'close').then(([code]) => ({ code: code as number, stderr }));
    await expect.poll(() => existsSync(this.reached), { interval: 5 }).toBe(true);
    return { ended };
  }

  goOn(): void {
    rmSync(join(this.repo.gitDir, 'hooks/post-index-change'), { force: true });
    writeFileSync(this.gate, 'go\n');
  }

  status = () => this.repo.git('status', '--porcelain');

  [Symbol.dispose](): void {
    this.repo[Symbol.dispose]();
  }
}

it('a new file that git clean removes before the index knows it is there again when the publication is over', async () => {
  using desk = new Desk();
  const file = join(desk.repo.root, 'new.txt');
  let removed = 0;
  // What `git clean` does to a file that its index, read a moment ago, does not have.
  const watcher = watch(desk.repo.root, (_, name) => {
    if (name !== 'new.txt' || removed > 0 || !existsSync(file)) return;
    rmSync(file);
    removed++;
  });
  try {
    expect(await desk.publish()).toEqual({ published: true });
  } finally {
    watcher.close();
  }
  expect([removed, desk.status()]).toEqual([1, '']);
});

it('a file that a person takes away after a publication stays away', async () => {
  using desk = new Desk();
  await desk.publish();
  rmSync(join(desk.repo.root, 'new.txt'));
  expect(await desk.publish()).toEqual({ published: true });
  expect(desk.status()).toBe(' D new.txt');
});

function run(cwd: string, delayMs: number, ...args: string[]): Promise<{ code: number; published: boolean }> {
  return new Promise((done) => {
    setTimeout(() => {
      spawn('git', args, { cwd, env: ENV, stdio: 'ignore' }).on('close', (code) => done({ code: code ?? 1, published: code === 0 }));
    }, delayMs);
  });
}

/** Who meets a lock, or has to wait, tries again. */
async function patiently<T extends { published: boolean }>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const done = await act();
    if (done.published || tries === 20) return done;
  }
}

describe('publishing beside a person at work', () => {
  it('waits for a switch to the target that has written its files and not yet HEAD', async () => {
    using desk = new Desk();
    desk.repo.git('switch', '-q', 'feature');
    desk.stopAfterIndex();
    const { ended } = await desk.begin(['switch', '-q', 'main']);
    expect(await desk.publish()).toMatchObject({ published: false, reason: expect.stringContaining('git switch') });
    desk.goOn();
    expect(await ended).toMatchObject({ code: 0 });
    expect(await desk.publish()).toEqual({ published: true });
    expect(desk.status()).toBe('');
    expect(desk.repo.git('symbolic-ref', 'HEAD', '--short') + readFileSync(join(desk.repo.root, 'new.txt'))).toBe('mainlanded\n');
  });

  it('waits for a switch away from the target: its files never get into the other branch', async () => {
    using desk = new Desk();
    desk.stopAfterIndex();
    const { ended } = await desk.begin(['switch', '-q', 'feature']);
    expect(await desk.publish()).toMatchObject({ published: false, reason: expect.stringContaining('git switch') });
    desk.goOn();
    expect(await ended).toMatchObject({ code: 0 });
    expect(desk.status()).toBe('');
    expect(await desk.publish()).toEqual({ published: true });
    expect(desk.status()).toBe('');
    expect(existsSync(join(desk.repo.root, 'new.txt'))).toBe(false);
  });

  it('waits for a reset that is about to move the branch to what it read before', async () => {
    using desk = new Desk();
    desk.repo.write({ 'b.txt': 'dirty\n' });
    desk.stopAfterIndex();
    const { ended } = await desk.begin(['reset', '-q', '--hard']);
    expect(await desk.publish()).toMatchObject({ published: false, reason: expect.stringContaining('git reset') });
    desk.goOn();
    await ended;
    expect(await desk.publish()).toEqual({ published: true });
    expect(desk.repo.git('rev-parse', 'main')).toBe(desk.new);
    expect(desk.status()).toBe('');
  });

  it.each([[['commit']], [['commit', '--amend']], [['commit', '--all']]])(
    'waits while an editor is open on the message of git %s',
    async (args) => {
      using desk = new Desk();
      desk.repo.write({ 'b.txt': 'mine\n' });
      desk.repo.git('add', 'b.txt');
      const editor = `${desk.stopper('editor')} && echo mine >`;
      const { ended } = await desk.begin(args, { GIT_EDITOR: editor });
      expect(await desk.publish()).toMatchObject({ published: false, reason: expect.stringMatching(/git (commit|is busy)/) });
      desk.goOn();
      expect(await ended).toMatchObject({ code: 0 });
      expect(desk.repo.git('log', '-1', '--format=%s', 'main')).toBe('mine');
    },
  );

  it('does not wait for a commit message on another branch, nor for who only reads', async () => {
    using desk = new Desk();
    desk.repo.git('switch', '-q', 'feature');
    desk.repo.write({ 'b.txt': 'mine\n' });
    desk.repo.git('add', 'b.txt');
    const { ended } = await desk.begin(['commit'], { GIT_EDITOR: `${desk.stopper('editor')} && echo mine >` });
    const reader = spawn('git', ['cat-file', '--batch'], { cwd: desk.repo.root, env: ENV, stdio: ['pipe', 'ignore', 'ignore'] });
    expect(await desk.publish()).toEqual({ published: true });
    reader.stdin.end();
    desk.goOn();
    expect(await ended).toMatchObject({ code: 0 });
    expect(desk.status()).toBe('');
  });

  it.each(['conflict in a rebase', 'rebase in a second worktree', 'bisect', 'am'])('waits during: %s of the target', async (what) => {
    using desk = new Desk();
    const second = join(desk.repo.folder, 'second');
    desk.repo.write({ 'b.txt': lines('b', { 3: 'mine' }) });
    desk.repo.git('commit', '-q', '-a', '-m', 'mine');
    const old = desk.repo.git('rev-parse', 'main');
    const landed = desk.repo.commitOn(old, { 'new.txt': 'landed\n' });
    const at = what === 'rebase in a second worktree' ? second : desk.repo.root;
    if (at === second) {
      desk.repo.git('switch', '-q', 'feature');
      desk.repo.git('worktree', 'add', '-q', second, 'main');
    }
    const fails = (...args: string[]) => expect(() => desk.repo.gitIn(at, ...args)).toThrow();
    if (what === 'bisect') {
      desk.repo.git('bisect', 'start', 'main', desk.old);
      desk.repo.git('checkout', '-q', desk.old);
    } else if (what === 'am') {
      writeFileSync(join(desk.repo.folder, 'patch'), desk.repo.git('format-patch', '--stdout', '-1', 'feature'));
      fails('am', '-q', join(desk.repo.folder, 'patch'));
    } else fails('rebase', '-q', 'feature');
    const epoch = await desk.epoch;
    const word = what.replace('conflict in a ', '').replace(' in a second worktree', '');
    const done = await publish(desk.repo, 'main', { old, new: landed, epoch });
    expect(done).toMatchObject({ published: false, reason: expect.stringMatching(new RegExp(`${word}.*in progress in ${at}`)) });
    expect(desk.repo.git('rev-parse', 'main')).toBe(old);
    desk.repo.gitIn(at, ...(what === 'bisect' ? ['bisect', 'reset'] : [word, '--abort']));
    expect(await publish(desk.repo, 'main', { old, new: landed, epoch })).toEqual({ published: true });
    expect(desk.repo.gitIn(at, 'rev-parse', 'main')).toBe(landed);
    expect(desk.repo.gitIn(at, 'status', '--porcelain')).toBe('');
  });

  it('does not undo a deletion that is not committed yet', async () => {
    using desk = new Desk();
    rmSync(join(desk.repo.root, 'a.txt'));
    rmSync(join(desk.repo.root, 'c.txt'));
    expect(await desk.publish()).toMatchObject({ published: false, reason: expect.stringContaining('a.txt') });
    desk.repo.git('restore', 'a.txt');
    expect(await desk.publish()).toEqual({ published: true });
    expect(desk.status()).toBe(' D c.txt');
  });

  it.each([
    ['to', 'feature', 'main'],
    ['away from', 'main', 'feature'],
  ])('leaves a truthful status whenever a switch %s the target comes', async (_name, from, to) => {
    using desk = new Desk();
    const epoch = await desk.epoch;
    for (let round = 0; round < 6; round++) {
      desk.repo.git('switch', '-q', from);
      const old = desk.repo.git('rev-parse', 'main');
      const landed = desk.repo.commitOn(old, { [`new-${round}.txt`]: 'landed\n', 'a.txt': lines('a', { 2: `round ${round}` }) });
      const switched = patiently(() => run(desk.repo.root, round * 8, 'switch', '-q', to));
      const published = patiently(() => publish(desk.repo, 'main', { old, new: landed, epoch }));
      expect((await switched).code).toBe(0);
      expect(desk.status(), `round ${round}`).toBe('');
      await published;
      expect(desk.status(), `round ${round}`).toBe('');
    }
  });

  it('completes a switch that read the target before it moved and wrote HEAD after, and only that', async () => {
    using desk = new Desk();
    const person = (...args: string[]) => execFileSync('git', args, { cwd: desk.repo.root, env: ENV, encoding: 'utf8' }).trimEnd();
    person('switch', '-q', 'feature');
    const feature = person('rev-parse', 'HEAD');
    person('commit', '-q', '--allow-empty', '-m', 'so that main has a reflog');
    expect(await desk.publish()).toEqual({ published: true });
    // A program without a process of its own, as git would do it: index and files, then HEAD, by the value from before.
    person('read-tree', '-m', '-u', 'HEAD', desk.old);
    writeFileSync(join(desk.repo.gitDir, 'HEAD'), 'ref: refs/heads/main\n');
    const line = `${feature} ${desk.old} Ada <ada@example.com> ${Math.floor(Date.now() / 1000)} +0000\tcheckout: moving from feature to main\n`;
    appendFileSync(join(desk.repo.gitDir, 'logs/HEAD'), line);
    expect(desk.status()).toBe('M  a.txt\nD  new.txt');
    expect(await bringAlong(desk.repo, 'main', { to: desk.new })).toEqual([desk.repo.root]);
    expect(desk.status()).toBe('');
    // The same files, staged by a person on purpose.
    person('checkout', desk.old, '--', 'a.txt');
    person('rm', '-q', 'new.txt');
    expect(await bringAlong(desk.repo, 'main', { to: desk.new })).toEqual([]);
    person('switch', '-q', 'feature', '--discard-changes');
    person('switch', '-q', 'main');
    person('checkout', desk.old, '--', 'a.txt');
    person('rm', '-q', 'new.txt');
    expect(await bringAlong(desk.repo, 'main', { to: desk.new })).toEqual([]);
    expect(desk.status()).toBe('M  a.txt\nD  new.txt');
  });

  it('names the agent whose worktree has the target checked out, and frees the worktree of one that does not work', async () => {
    using desk = new Desk();
    desk.repo.git('switch', '-q', 'feature');
    const worktree = join(desk.repo.folder, 'ada');
    desk.repo.git('worktree', 'add', '-q', worktree, 'main');
    desk.repo.write({ 'a.txt': 'the work of ada\n' }, worktree);
    const epoch = await desk.epoch;
    const asked = (busy: boolean) => {
      const keeperOf = (path: string) => (path === worktree ? { name: 'agent ada', agent: 'ada', busy } : undefined);
      return publish(desk.repo, 'main', { old: desk.old, new: desk.new, epoch, keeperOf });
    };
    const reason = `agent ada has main checked out in its worktree ${worktree}`;
    expect(await asked(true)).toMatchObject({ published: false, reason, keeper: { agent: 'ada' } });
    expect(desk.repo.git('rev-parse', 'main')).toBe(desk.old);
    expect(await asked(false)).toEqual({ published: true });
    expect(desk.repo.gitIn(worktree, 'rev-parse', 'HEAD')).toBe(desk.old);
    expect(desk.repo.gitIn(worktree, 'status', '--porcelain')).toBe(' M a.txt');
  });

  it('leaves a tracked folder alone that the user replaced by a link, and what the link leads to', async () => {
    using desk = new Desk();
    desk.repo.write({ 'docs/one': 'one\n', 'docs/two': 'two\n', 'docs/three': 'three\n' });
    desk.repo.git('add', '-A');
    desk.repo.git('commit', '-q', '-m', 'docs');
    const old = desk.repo.git('rev-parse', 'main');
    const elsewhere = join(desk.repo.folder, 'elsewhere');
    renameSync(join(desk.repo.root, 'docs'), elsewhere);
    symlinkSync(elsewhere, join(desk.repo.root, 'docs'));
    const epoch = await desk.epoch;
    const changes: Record<string, string | null>[] = [{ 'docs/one': 'landed\n' }, { 'docs/two': null }, { 'docs/four': 'landed\n' }];
    for (const change of changes) {
      const landed = desk.repo.commitOn(old, change);
      expect(await publish(desk.repo, 'main', { old, new: landed, epoch })).toMatchObject({ published: false });
    }
    expect(readdirSync(elsewhere).sort()).toEqual(['one', 'three', 'two']);
    expect(readFileSync(join(desk.repo.root, 'docs/one'), 'utf8')).toBe('one\n');
    const landed = desk.repo.commitOn(old, { 'a.txt': 'landed\n' });
    expect(await publish(desk.repo, 'main', { old, new: landed, epoch })).toEqual({ published: true });
    expect(readdirSync(elsewhere).sort()).toEqual(['one', 'three', 'two']);
  });
});
