import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { mendReflogs } from '../../../src/platform/git/torn-reflogs.ts';
import { gitRepo, type TestRepo } from './repo.ts';

const lose = (repo: TestRepo, oid: string) => rmSync(join(repo.gitDir, 'objects', oid.slice(0, 2), oid.slice(2)));

/** An agent's worktree in which a commit was amended: only the reflogs name what it was before. */
async function amended() {
  const repo = await gitRepo();
  const path = join(repo.places.worktrees, 'default', 'ada');
  mkdirSync(dirname(path), { recursive: true });
  repo.sh(['worktree', 'add', '-q', '-b', 'furrow/default/ada/1', path]);
  const commit = (text: string, ...words: string[]) => {
    writeFileSync(join(path, 'new.txt'), `${text}\n`);
    repo.sh(['add', '-A'], path);
    repo.sh(['commit', '-q', '-m', text, ...words], path);
    return repo.sh(['rev-parse', 'HEAD'], path);
  };
  const first = commit('first');
  return { ...repo, first, tip: commit('second', '--amend'), known: [repo.sh(['rev-parse', 'main'])] };
}

it('lines of our reflogs that name a commit which is gone altogether are removed, and the person’s fsck is clean', async () => {
  await using repo = await amended();
  lose(repo, repo.first);
  expect(() => repo.sh(['fsck'])).toThrow(/invalid reflog entry/);
  expect(await mendReflogs(repo, repo.known)).toEqual(['refs/heads/furrow/default/ada/1', 'worktrees/ada/HEAD']);
  repo.sh(['fsck']);
  expect(repo.sh(['rev-parse', 'furrow/default/ada/1'])).toBe(repo.tip);
  expect(await mendReflogs(repo, repo.known)).toEqual([]);
});

it('lines of our reflogs that name a commit without its tree are removed, and the person’s clean-up works again', async () => {
  await using repo = await amended();
  lose(repo, repo.sh(['rev-parse', `${repo.first}^{tree}`]));
  expect(() => repo.sh(['repack', '-adq'])).toThrow(/bad tree object/);
  expect(await mendReflogs(repo, repo.known)).toEqual(['refs/heads/furrow/default/ada/1', 'worktrees/ada/HEAD']);
  for (const words of [
    ['gc', '-q', '--prune=now'],
    ['prune', '--expire=now'],
    ['repack', '-adq'],
  ])
    repo.sh(words);
  expect(repo.sh(['rev-parse', 'furrow/default/ada/1'])).toBe(repo.tip);
  expect(await mendReflogs(repo, repo.known)).toEqual([]);
});

it('reflogs of the person are theirs', async () => {
  await using repo = await amended();
  repo.write('own.txt', 'one\n');
  const own = repo.commit('one');
  repo.sh(['reset', '-q', '--hard', 'HEAD~1']);
  const log = join(repo.gitDir, 'logs', 'HEAD');
  const lines = readFileSync(log, 'utf8');
  const tree = repo.sh(['rev-parse', `${own}^{tree}`]);
  for (const oid of [tree, own]) {
    lose(repo, oid);
    expect(await mendReflogs(repo, repo.known)).toEqual([]);
    expect(readFileSync(log, 'utf8')).toBe(lines);
  }
});
