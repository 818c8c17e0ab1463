import { expect, it } from 'vitest';
import { type Move, movesOf } from '../../../src/repo/merge/move.ts';
import { isBehind, isWhollyBehind } from '../../../src/repo/merge/resync.ts';
import { TestRepo } from './repo.ts';

/** By git's own list of what the index has otherwise than the old commit. */
function asGit(repo: TestRepo, { from, changes }: Move) {
  const staged = new Set(repo.git('diff-index', '--cached', '--name-only', '--no-renames', from).split('\n'));
  return { some: changes.some(({ path }) => !staged.has(path)), all: changes.every(({ path }) => !staged.has(path)) };
}

async function move(repo: TestRepo, to: string): Promise<Move> {
  const [found] = await movesOf(repo, [{ path: repo.root, gitDir: repo.gitDir }], repo.git('rev-parse', 'main'), to);
  return found!;
}

it.each<[string, (repo: TestRepo, to: string) => void, { some: boolean; all: boolean }]>([
  ['has the old side', () => {}, { some: true, all: true }],
  ['has the new side', (repo, to) => repo.git('read-tree', to), { some: false, all: false }],
  ['has the new side of one path', (repo, to) => repo.git('reset', '--quiet', to, '--', 'a.txt'), { some: true, all: false }],
  [
    'has something else at one path',
    (repo) => repo.git('update-index', '--cacheinfo', `100755,${repo.git('rev-parse', 'main:a.txt')},a.txt`),
    { some: true, all: false },
  ],
  ['lacks a path', (repo) => repo.git('rm', '--quiet', '--cached', 'b.txt'), { some: true, all: false }],
  ['has a change elsewhere', (repo) => repo.git('rm', '--quiet', '--cached', 'c.txt'), { some: true, all: true }],
  [
    'is in the middle of a conflict',
    (repo, to) => {
      const other = repo.commitOn('main', { 'a.txt': 'other\n', 'new.txt': 'other\n' });
      repo.git('read-tree', '--empty');
      repo.git('read-tree', '-m', '--aggressive', 'main', to, other);
    },
    { some: false, all: false },
  ],
  [
    'has a file that is to be added later',
    (repo) => {
      repo.write({ 'new.txt': 'n\n' });
      repo.git('add', '--intent-to-add', 'new.txt');
    },
    { some: true, all: false },
  ],
  ['is of a form that only git reads', (repo) => repo.git('update-index', '--index-version', '4'), { some: true, all: true }],
])('a checkout whose index %s is behind a move as far as git says', async (_, stage, expected) => {
  using repo = new TestRepo();
  const to = repo.commitOn('main', { 'a.txt': 'new\n', 'b.txt': null, 'new.txt': 'new\n' });
  stage(repo, to);
  const moved = await move(repo, to);
  expect({ some: await isBehind(repo, moved), all: await isWhollyBehind(repo, moved) }).toEqual(asGit(repo, moved));
  expect(asGit(repo, moved)).toEqual(expected);
});
