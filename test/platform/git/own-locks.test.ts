import { existsSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownFolder } from '../../../src/platform/git/mutex.ts';
import { clearOwnLocks, lockingGit, takeLock } from '../../../src/platform/git/own-locks.ts';
import type { Repo } from '../../../src/platform/git/run.ts';
import { full, mounted } from '../../support/disk.ts';
import { gitRepo } from './repo.ts';

/** A hook that kills its git at the one moment when all locks are taken and nothing is done yet. */
async function killer(repo: Repo): Promise<string> {
  const folder = join(repo.gitDir, 'killer');
  await mkdir(folder);
  await writeFile(join(folder, 'reference-transaction'), '#!/bin/sh\n[ "$1" = prepared ] && kill -9 $PPID\n');
  await chmod(join(folder, 'reference-transaction'), 0o755);
  return `core.hooksPath=${folder}`;
}

it('a git of ours that is killed with locks in its hand leaves none, on the branch of the user either', async () => {
  await using repo = await gitRepo();
  const lock = join(repo.gitDir, 'refs/heads/main.lock');
  const head = repo.sh(['rev-parse', 'HEAD']);
  const to = repo.sh(['commit-tree', '-p', head, '-m', 'x', `${head}^{tree}`]);
  const config = [await killer(repo)];
  const done = await lockingGit(repo, [lock], ['update-ref', 'refs/heads/main', to, head], { config });
  expect(done).toMatchObject({ code: null, signal: 'SIGKILL' });
  expect(existsSync(lock)).toBe(false);
  expect(repo.sh(['rev-parse', 'refs/heads/main'])).toBe(head);
});

it('without the note such a lock stays: this is what the note is for', async () => {
  await using repo = await gitRepo();
  const lock = join(repo.gitDir, 'refs/heads/main.lock');
  const head = repo.sh(['rev-parse', 'HEAD']);
  const to = repo.sh(['commit-tree', '-p', head, '-m', 'x', `${head}^{tree}`]);
  await lockingGit(repo, [], ['update-ref', 'refs/heads/main', to, head], { config: [await killer(repo)] });
  await clearOwnLocks(repo);
  expect(existsSync(lock)).toBe(true);
});

it('what a git of a dead daemon left is cleared by the next one, and what was there before it is not', async () => {
  await using repo = await gitRepo();
  const [before, after] = ['refs/heads/a.lock', 'refs/heads/b.lock'].map((name) => join(repo.gitDir, name)) as [string, string];
  writeFileSync(before, '');
  await new Promise((later) => setTimeout(later, 20));
  const note = { owner: { pid: 1, start: 'another boot' }, locks: [before, after] };
  await writeFile(join(await ownFolder(repo), 'locks-1-0'), JSON.stringify(note));
  writeFileSync(after, '');
  await clearOwnLocks(repo);
  expect([existsSync(before), existsSync(after)]).toEqual([true, false]);
});

it('a lock that a killed daemon held is taken over by the next one and is free at no moment', async () => {
  await using repo = await gitRepo();
  const lock = join(repo.gitDir, 'index.lock');
  const folder = await ownFolder(repo);
  const own = await takeLock(repo, lock, []);
  expect(own?.takenOver).toBe(false);
  // As a kill leaves it: the note names somebody who is dead.
  const note = (await readdir(folder)).find((name) => name.startsWith('locks-'))!;
  await own!.forget();
  await writeFile(join(folder, note), JSON.stringify({ owner: { pid: 1, start: 'another boot' }, locks: [lock], held: true }));
  await clearOwnLocks(repo);
  expect(existsSync(lock)).toBe(true);
  expect((await takeLock(repo, lock, []))?.takenOver).toBe(true);
  expect(await takeLock(repo, lock, [])).toBeUndefined();
});

it('a lock of the user is never taken over, and a held one that nobody needs any more is cleared', async () => {
  await using repo = await gitRepo();
  const [theirs, ours] = ['index.lock', 'other.lock'].map((name) => join(repo.gitDir, name)) as [string, string];
  const folder = await ownFolder(repo);
  const note = { owner: { pid: 1, start: 'another boot' }, held: true };
  writeFileSync(theirs, 'DIRC');
  await writeFile(join(folder, 'locks-1-0'), JSON.stringify({ ...note, locks: [ours] }));
  writeFileSync(ours, 'furrow locks-1-0\n');
  expect(await takeLock(repo, theirs, [])).toBeUndefined();
  await clearOwnLocks(repo, true);
  expect([existsSync(theirs), existsSync(ours)]).toEqual([true, false]);
});

it('a lock that cannot be written because the disk is full is not left behind', async (t) => {
  await using repo = await gitRepo();
  const disk = join(repo.root, 'disk');
  await using place = await mounted(disk, '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs');
  if (!place.ok) return t.skip('mounting is not possible here');
  await using _filled = full(join(disk, 'fill'));
  const lock = join(disk, 'index.lock');
  await expect(takeLock(repo, lock, [])).rejects.toThrow(/ENOSPC/);
  expect(existsSync(lock)).toBe(false);
});
