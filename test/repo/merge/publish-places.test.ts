import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findRepo } from '../../../src/platform/git/repository.ts';
import type { Repo } from '../../../src/platform/git/run.ts';
import { nextEpoch } from '../../../src/repo/merge/epoch.ts';
import { probePublish, publish } from '../../../src/repo/merge/publish.ts';
import { TestRepo } from './repo.ts';

/** Publishes one commit that changes `a.txt`, made in the repository. */
async function publishIn(user: TestRepo, repo: Repo) {
  const old = user.gitIn(repo.root, 'rev-parse', 'main');
  const tree = user.gitIn(repo.root, 'rev-parse', 'main^{tree}');
  user.write({ 'a.txt': 'new\n' }, repo.root);
  const blob = user.gitIn(repo.root, 'hash-object', '-w', 'a.txt');
  user.gitIn(repo.root, 'checkout', '-q', '--', 'a.txt');
  user.gitIn(repo.root, 'update-index', '--cacheinfo', `100644,${blob},a.txt`);
  const changed = user.gitIn(repo.root, 'write-tree');
  user.gitIn(repo.root, 'read-tree', tree);
  user.gitIn(repo.root, 'update-index', '-q', '--refresh');
  const to = user.gitIn(repo.root, 'commit-tree', '-p', old, '-m', 'landing', changed);
  const epoch = await nextEpoch(repo);
  return { move: { old, new: to }, done: await publish(repo, 'main', { old, new: to, epoch }) };
}

it.each(['a separate git folder', 'a submodule'])('the checkout of a repository with %s follows', async (which) => {
  using user = new TestRepo();
  const root = join(user.folder, 'here');
  if (which === 'a submodule') {
    const above = join(user.folder, 'above');
    user.git('init', '-q', '-b', 'main', above);
    user.gitIn(above, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', user.root, 'here');
    renameSync(above, root);
  } else user.git('clone', '-q', `--separate-git-dir=${join(user.folder, 'elsewhere.git')}`, user.root, root);
  const repo = await findRepo(which === 'a submodule' ? join(root, 'here') : root);
  const { move, done } = await publishIn(user, repo);
  expect(done).toEqual({ published: true });
  expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe('new\n');
  expect(user.gitIn(repo.root, 'status', '--porcelain')).toBe('');
  expect(await probePublish(repo, 'main', move)).toBe('done');
});

it('a checkout of another name of the target, a symbolic ref to it, follows: its next commit takes nothing back', async () => {
  using user = new TestRepo();
  user.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  user.git('switch', '-q', 'alias');
  const { done } = await publishIn(user, await findRepo(user.root));
  expect(done).toEqual({ published: true });
  expect(readFileSync(join(user.root, 'a.txt'), 'utf8')).toBe('new\n');
  expect(user.git('status', '--porcelain')).toBe('');
  expect(user.git('symbolic-ref', 'refs/heads/alias')).toBe('refs/heads/main');
});

it('a worktree with the target that is locked and not there holds the publication up, and what to do is said', async () => {
  using user = new TestRepo();
  user.git('switch', '-q', '-c', 'mine');
  const disk = join(user.folder, 'disk');
  mkdirSync(disk);
  user.git('worktree', 'add', '-q', join(disk, 'wt'), 'main');
  user.git('worktree', 'lock', '--reason', 'on a disk', join(disk, 'wt'));
  renameSync(disk, join(user.folder, 'unmounted'));
  const repo = await findRepo(user.root);
  const { move, done } = await publishIn(user, repo);
  const reason = expect.stringMatching(
    /wt has main checked out and is not there \(locked: on a disk\); mount it, or .*git worktree unlock .*prune/,
  );
  expect(done).toMatchObject({ published: false, reason });
  expect(user.git('rev-parse', 'main')).toBe(move.old);
  // Mounted again, it follows.
  renameSync(join(user.folder, 'unmounted'), disk);
  expect(await publish(repo, 'main', { ...move, epoch: await nextEpoch(repo) })).toEqual({ published: true });
  expect(readFileSync(join(disk, 'wt', 'a.txt'), 'utf8')).toBe('new\n');
  // One on another branch is nobody's concern.
  user.gitIn(join(disk, 'wt'), 'switch', '-q', '-c', 'other');
  renameSync(disk, join(user.folder, 'unmounted'));
  expect(existsSync(disk)).toBe(false);
  expect((await publishIn(user, repo)).done).toEqual({ published: true });
});
