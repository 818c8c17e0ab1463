import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolve } from '../../../src/platform/git/refs.ts';
import { reapLocks, repairWorktrees } from '../../../src/platform/git/repair.ts';
import { worktrees } from '../../../src/platform/git/worktrees.ts';
import { identify } from '../../../src/platform/process/identity.ts';
import { gitRepo, type TestRepo } from './repo.ts';

const add = (repo: TestRepo, name: string) => repo.sh(['worktree', 'add', '-q', '--detach', join(repo.places.worktrees, 'p', name)]);
const admin = (repo: TestRepo, name: string) => join(repo.gitDir, 'worktrees', name);
const repair = (repo: TestRepo) => repairWorktrees(repo, [repo.places.worktrees]);

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

describe('a registration', () => {
  it.each(['commondir', 'gitdir', 'HEAD'])('killed with an empty %s breaks the repository for all, and is taken away', async (file) => {
    await using repo = await gitRepo();
    add(repo, 'ada');
    writeFileSync(join(admin(repo, 'ada'), file), '');
    writeFileSync(join(admin(repo, 'ada'), 'locked'), 'initializing');
    if (file === 'commondir') expect(() => repo.sh(['worktree', 'list'])).toThrow();
    expect(await repair(repo)).toHaveLength(1);
    expect(await worktrees(repo)).toHaveLength(1);
    expect(existsSync(admin(repo, 'ada'))).toBe(false);
  });

  it('of the user’s, half-made or with its folder gone, is left alone', async () => {
    await using repo = await gitRepo();
    repo.sh(['worktree', 'add', '-q', '-b', 'mine', 'mine']);
    rmSync(join(repo.root, 'mine'), { recursive: true });
    mkdirSync(admin(repo, 'other'));
    expect(await repair(repo)).toEqual([]);
    expect(readdirSync(join(repo.gitDir, 'worktrees')).sort()).toEqual(['mine', 'other']);
  });

  it('whose folder is gone goes, and its detached commit stays', async () => {
    await using repo = await gitRepo();
    add(repo, 'ada');
    const path = join(repo.places.worktrees, 'p/ada');
    repo.sh(['commit', '-q', '--allow-empty', '-m', 'only here'], path);
    const lost = repo.sh(['rev-parse', 'HEAD'], path);
    rmSync(path, { recursive: true });
    expect(await repair(repo)).toHaveLength(1);
    repo.sh(['gc', '-q', '--prune=now']);
    expect(await resolve(repo, lost)).toBe(lost);
  });

  it('is given back to a folder that lost its .git', async () => {
    await using repo = await gitRepo();
    add(repo, 'ada');
    const path = join(repo.places.worktrees, 'p/ada');
    rmSync(join(path, '.git'));
    expect(await repair(repo)).toHaveLength(1);
    expect(repo.sh(['rev-parse', '--show-toplevel'], path)).toBe(path);
    expect(repo.sh(['status', '--porcelain'], path)).toBe('');
  });

  it('in which a live process works is left to it', async () => {
    await using repo = await gitRepo();
    add(repo, 'ada');
    writeFileSync(join(admin(repo, 'ada'), 'HEAD'), '');
    const child = spawn('sleep', ['60'], { cwd: admin(repo, 'ada'), stdio: 'ignore' });
    await once(child, 'spawn');
    expect(await repair(repo)).toEqual([]);
    await end(child);
    expect(await repair(repo)).toHaveLength(1);
  });
});

describe('a lock', () => {
  it('of a dead git is reaped where it is ours; the user’s, and one a live process holds, stay', async () => {
    await using repo = await gitRepo();
    for (const name of ['ada', 'bob']) add(repo, name);
    mkdirSync(join(repo.gitDir, 'refs/heads/furrow/p'), { recursive: true });
    const dead = [
      join(admin(repo, 'ada'), 'index.lock'),
      join(admin(repo, 'ada'), 'HEAD.lock'),
      join(repo.gitDir, 'refs/heads/furrow/p/t.lock'),
    ];
    const held = join(admin(repo, 'bob'), 'index.lock');
    const users = [join(repo.gitDir, 'index.lock'), join(repo.gitDir, 'refs/heads/main.lock')];
    for (const file of [...dead, held, ...users]) writeFileSync(file, '');
    const child = spawn('sh', ['-c', `exec 9<'${held}'; echo open; exec sleep 60`], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout!, 'data');
    const options = { trash: repo.places.trash, journalledPids: [] };
    const alive = [identify(process.pid)!];
    expect((await reapLocks(repo, { ...options, journalledPids: alive })).reaped).toEqual([]);
    const { reaped, blocked } = await reapLocks(repo, options);
    expect(reaped.sort()).toEqual(dead.sort());
    expect(blocked.sort()).toEqual([held, ...users].sort());
    expect(users.every(existsSync)).toBe(true);
    expect(readdirSync(repo.places.trash)).toHaveLength(3);
    await end(child);
  });

  it('when there is none costs no wait', async () => {
    await using repo = await gitRepo();
    const started = performance.now();
    expect(await reapLocks(repo, { trash: repo.places.trash, journalledPids: [] })).toEqual({ reaped: [], blocked: [] });
    // With a lock to look at twice it waits two seconds.
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
