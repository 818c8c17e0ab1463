import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listRefs, resolve } from '../../../src/platform/git/refs.ts';
import { discard } from '../../../src/platform/git/trash.ts';
import { worktrees } from '../../../src/platform/git/worktrees.ts';
import { placesOf } from '../../../src/platform/places.ts';
import { disposable, purgeTrash, toTrash } from '../../../src/repo/worktree/dispose.ts';
import { prepare } from '../../../src/repo/worktree/prepare.ts';
import { farm, type TestFarm } from './farm.ts';

const otherDisk = existsSync('/dev/shm') && statSync('/dev/shm').dev !== statSync(tmpdir()).dev;

function commit(f: TestFarm, path: string, file = 'work.txt'): string {
  writeFileSync(join(path, file), 'work\n');
  f.sh(['add', '-A'], path);
  f.sh(['commit', '-q', '-m', 'work'], path);
  return f.sh(['rev-parse', 'HEAD'], path);
}

describe('a worktree is not disposable with', () => {
  const refuses = (name: string, make: (f: TestFarm, path: string) => unknown, reason: RegExp) =>
    it(name, async () => {
      await using f = await farm();
      await f.prepare('ada', '1');
      expect(await disposable(f, f.pathOf('ada'), { target: f.base })).toMatchObject({ ok: true });
      await make(f, f.pathOf('ada'));
      const verdict = await disposable(f, f.pathOf('ada'), { target: f.base });
      expect(verdict).toMatchObject({ ok: false });
      expect(verdict.ok || verdict.reason).toMatch(reason);
    });
  refuses('an uncommitted change', (f) => f.put('ada', 'readme.md', 'changed\n'), /^1 uncommitted change$/);
  refuses('an untracked file', (f) => f.put('ada', 'new.txt', 'x'), /^1 untracked path$/);
  refuses('a commit that has not landed', (f, path) => commit(f, path), /has not landed/);
  refuses('a detached commit', (f, path) => [f.sh(['checkout', '-q', '--detach'], path), commit(f, path)], /detached HEAD has not landed/);
  refuses('a bisect under way', (f, path) => f.sh(['bisect', 'start'], path), /bisect is under way/);
  refuses('another git writing', (f) => writeFileSync(join(f.gitDir, 'worktrees/ada/index.lock'), ''), /index.lock is under way/);
  refuses('a lock', (f, path) => f.sh(['worktree', 'lock', '--reason', 'mine', path]), /locked: mine/);
  refuses('a broken index', (f) => writeFileSync(join(f.gitDir, 'worktrees/ada/index'), 'garbage'), /failed/);
  refuses('no HEAD to read', (f) => writeFileSync(join(f.gitDir, 'worktrees/ada/HEAD'), 'ref: refs/heads/gone\n'), /uncommitted|HEAD/);
  refuses('no registration', (f) => rmSync(join(f.gitDir, 'worktrees/ada'), { recursive: true }), /not a registered/);
  refuses('a repository of its own inside', (f, path) => f.sh(['init', '-q', join(path, 'nested')]), /untracked/);
  refuses(
    'a submodule checked out',
    (f, path) => {
      f.sh(['init', '-q', join(path, 'sub')]);
      commit(f, join(path, 'sub'));
      f.sh(['add', 'sub'], path);
      f.sh(['commit', '-q', '-m', 'sub'], path);
      f.sh(['update-ref', 'refs/furrow/head/main', 'HEAD'], path);
    },
    /submodule sub/,
  );

  it('a process that works in it', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    const child = spawn('sleep', ['30'], { cwd: join(f.pathOf('ada'), 'src'), stdio: 'ignore' });
    await once(child, 'spawn');
    expect(await disposable(f, f.pathOf('ada'), { target: f.base })).toEqual({ ok: false, reason: `process ${child.pid} works in it` });
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('a place that is not ours', async () => {
    await using f = await farm();
    f.sh(['worktree', 'add', '-q', '-b', 'mine', 'mine']);
    for (const path of [f.root, join(f.root, 'mine'), join(f.root, 'src'), '/']) {
      expect(await disposable(f, path, { target: f.base })).toMatchObject({ ok: false });
      await expect(toTrash(f, path)).rejects.toMatchObject({ code: 'NOT_OURS' });
    }
  });
});

describe('landed work', () => {
  it('makes a worktree disposable: merged, squashed, or on the verified chain', async () => {
    await using f = await farm();
    for (const [agent, land] of [
      ['merged', (tip: string) => f.sh(['merge', '-q', '--no-ff', '-m', 'land', tip])],
      ['squashed', (tip: string) => [f.sh(['merge', '-q', '--squash', tip]), f.sh(['commit', '-q', '-m', 'land'])]],
      ['chained', (tip: string) => f.sh(['update-ref', 'refs/furrow/head/main', tip])],
    ] as const) {
      await f.prepare(agent, '1');
      const tip = commit(f, f.pathOf(agent), `${agent}.txt`);
      expect(await disposable(f, f.pathOf(agent), { target: f.sh(['rev-parse', 'main']) })).toMatchObject({ ok: false });
      land(tip);
      const landed = [{ ref: `refs/heads/furrow/p/${agent}/1`, oid: tip }];
      expect(await disposable(f, f.pathOf(agent), { target: f.sh(['rev-parse', 'main']) })).toEqual({ ok: true, landed });
    }
  });

  it('is proven without running a merge driver of the repository, and by no attribute of the checkout', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    f.put('ada', 'readme.md', 'work\n');
    f.sh(['commit', '-q', '-a', '-m', 'work'], f.pathOf('ada'));
    writeFileSync(join(f.root, 'readme.md'), 'other\n');
    f.sh(['commit', '-q', '-a', '-m', 'other']);
    const ran = join(f.root, 'ran');
    f.sh(['config', 'merge.planted.driver', `touch ${ran}`]);
    writeFileSync(join(f.root, '.gitattributes'), '*.md merge=planted\n');
    expect(await disposable(f, f.pathOf('ada'), { target: f.sh(['rev-parse', 'main']) })).toMatchObject({ ok: false });
    expect(existsSync(ran)).toBe(false);
  });

  it('lets the branch go with the worktree, which lies in the trash whole, and can be taken away twice', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    await f.prepare('bob', '1');
    f.put('ada', 'build/out.o', 'warm');
    const verdict = await disposable(f, f.pathOf('ada'), { target: f.base });
    for (let twice = 0; twice < 2; twice++) await toTrash(f, f.pathOf('ada'), verdict.ok ? verdict.landed : []);
    expect((await worktrees(f)).map(({ path }) => path)).toEqual([f.root, f.pathOf('bob')]);
    expect((await listRefs(f, 'refs/heads/furrow/')).map(({ ref }) => ref)).toEqual(['refs/heads/furrow/p/bob/1']);
    const [name] = readdirSync(f.places.trash);
    expect(readFileSync(join(f.places.trash, name!, 'tree/build/out.o'), 'utf8')).toBe('warm');
    expect(await purgeTrash(f.places, 60_000, Date.now())).toEqual([]);
    mkdirSync(join(f.places.trash, 'not-dated'));
    expect(await purgeTrash(f.places, 60_000, Date.now() + 61_000)).toEqual([join(f.places.trash, name!)]);
    expect(readdirSync(f.places.trash)).toEqual(['not-dated']);
  });
});

it('the trash is emptied of a folder deeper than a path may be long', async () => {
  await using f = await farm();
  const place = join(f.places.trash, `${Date.now()}-1.0-deep`);
  mkdirSync(place, { recursive: true });
  execFileSync('sh', ['-c', 'p=$(printf "%0200d/" $(seq 15)); mkdir -p a/$p b/$p && mv b a/$p'], { cwd: place });
  expect(await purgeTrash(f.places, 0, Date.now() + 1000)).toHaveLength(1);
  expect(readdirSync(f.places.trash)).toEqual([]);
});

it.runIf(otherDisk)('a folder with a named pipe goes to a trash on another disk', async () => {
  const [from, to] = [mkdtempSync(join(tmpdir(), 'furrow-trash-')), mkdtempSync('/dev/shm/furrow-trash-')];
  try {
    mkdirSync(join(from, 'tree'));
    execFileSync('mkfifo', [join(from, 'tree', 'pipe')]);
    writeFileSync(join(from, 'tree', 'file'), 'kept\n');
    await discard(join(from, 'tree'), to, 'x');
    expect(readdirSync(from)).toEqual([]);
    const [place] = readdirSync(to);
    expect(readdirSync(join(to, place!, 'it')).sort()).toEqual(['file', 'pipe']);
  } finally {
    for (const folder of [from, to]) rmSync(folder, { recursive: true, force: true });
  }
});

it('commits that only the worktree kept, amended away or detached, survive it and a gc', async () => {
  await using f = await farm();
  await f.prepare('ada', '1');
  const path = f.pathOf('ada');
  const amended = commit(f, path);
  f.sh(['commit', '-q', '--amend', '-m', 'better'], path);
  const landedTip = f.sh(['rev-parse', 'HEAD'], path);
  f.sh(['checkout', '-q', '--detach'], path);
  const detached = commit(f, path, 'more.txt');
  await toTrash(f, path);
  expect(existsSync(join(f.gitDir, 'worktrees/ada'))).toBe(false);
  f.sh(['reflog', 'expire', '--expire=now', '--all']);
  f.sh(['gc', '-q', '--prune=now']);
  for (const oid of [amended, landedTip, detached]) expect(await resolve(f, oid)).toBe(oid);
  expect(f.sh(['for-each-ref', '--contains', amended])).toContain('refs/furrow/pin-worktree/ada/');
});

it.runIf(otherDisk)('a worktree on another disk goes to a trash beside it, by a rename', async () => {
  await using f = await farm();
  const home = mkdtempSync('/dev/shm/furrow-home-');
  try {
    const [repo, path] = [{ root: f.root, gitDir: f.gitDir, home }, join(home, 'worktrees/p/ada')];
    await prepare(repo, f.want('ada', '1', { path }));
    await toTrash(repo, path);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(join(home, 'trash'))).toHaveLength(1);
    expect(await purgeTrash(placesOf(f.root, home), 0, Date.now() + 1000)).toHaveLength(1);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
