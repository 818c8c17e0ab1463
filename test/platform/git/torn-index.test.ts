import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { mendIndexes } from '../../../src/platform/git/torn-index.ts';
import { gitRepo, type TestRepo } from './repo.ts';

/** A repository with a worktree of furrow's in it, as an agent has one. */
async function withWorktree() {
  const repo = await gitRepo();
  const path = join(repo.places.worktrees, 'default', 'ada');
  mkdirSync(dirname(path), { recursive: true });
  repo.sh(['worktree', 'add', '-q', '-b', 'furrow/default/ada/1', path]);
  return {
    ...{ repo, path },
    git: (...args: string[]) => repo.sh(args, path),
    write: (name: string, text: string) => writeFileSync(join(path, name), text),
    mend: (isAtWork = false) => mendIndexes(repo, [repo.sh(['rev-parse', 'main'])], () => isAtWork),
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  };
}

const fileOf = (repo: TestRepo, oid: string) => join(repo.gitDir, 'objects', oid.slice(0, 2), oid.slice(2));
const lose = (repo: TestRepo, oid: string) => rmSync(fileOf(repo, oid));

/** All that a person may type; each fails for ever on an index that names what is gone. */
function cleanUp(repo: TestRepo) {
  repo.sh(['gc', '-q', '--prune=now']);
  repo.sh(['prune', '--expire=now']);
  repo.sh(['repack', '-adq']);
}

it.each([
  ['the whole tree', '', 'index.version=2'],
  ['the tree of a folder', ':src', 'index.version=2'],
  ['the tree of a folder', ':src', 'index.version=4'],
  ['the tree of a folder', ':src', 'core.splitIndex=true'],
])('an index that remembers %s (%s) which a clean-up took forgets it, with %s', async (_, what, setting) => {
  await using at = await withWorktree();
  const { repo } = at;
  at.git('config', ...setting.split('='));
  at.write('src/new.txt', 'new\n');
  at.git('add', '-A');
  const staged = at.git('ls-files', '--stage');
  const tree = at.git('write-tree');
  lose(repo, what === '' ? tree : repo.sh(['rev-parse', `${tree}${what}`]));
  expect(() => cleanUp(repo)).toThrow(/bad tree object/);
  expect(await at.mend(true)).toEqual({ mended: [{ path: at.path, restored: [], unstaged: [] }], left: [] });
  cleanUp(repo);
  expect(at.git('ls-files', '--stage')).toBe(staged);
  expect(at.git('write-tree')).toBe(tree);
  expect(await at.mend()).toEqual({ mended: [], left: [] });
});

it('a staged file whose content a clean-up took is stored again from the worktree', async () => {
  await using at = await withWorktree();
  at.write('src/new.txt', 'new\n');
  at.git('add', '-A');
  const blob = at.git('rev-parse', ':src/new.txt');
  lose(at.repo, blob);
  expect(() => cleanUp(at.repo)).toThrow(/unable to read/);
  expect(await at.mend(true)).toMatchObject({ mended: [{ restored: ['src/new.txt'], unstaged: [] }] });
  cleanUp(at.repo);
  expect(at.git('cat-file', '-p', blob)).toBe('new');
});

it('staged content that is nowhere any more is unstaged where nobody works; the files stay as they are', async () => {
  await using at = await withWorktree();
  for (const name of ['src/new.txt', 'src/a.txt']) at.write(name, `staged ${name}\n`);
  at.git('add', '-A');
  const blobs = ['src/new.txt', 'src/a.txt'].map((name) => at.git('rev-parse', `:${name}`));
  for (const name of ['src/new.txt', 'src/a.txt']) at.write(name, `later ${name}\n`);
  for (const blob of blobs) lose(at.repo, blob);
  // An agent that works there adds them again: its index is its own.
  expect(await at.mend(true)).toEqual({ mended: [], left: [at.path] });
  expect(await at.mend()).toMatchObject({ mended: [{ restored: [], unstaged: ['src/a.txt', 'src/new.txt'] }], left: [] });
  cleanUp(at.repo);
  expect(at.git('status', '--porcelain').split('\n').sort()).toEqual([' M src/a.txt', '?? src/new.txt'].map((line) => line.trim()).sort());
  expect(at.git('diff', '--', 'src/a.txt')).toContain('+later src/a.txt');
});

it('the sides of a conflict that is resolved are forgotten when a clean-up took one of them', async () => {
  await using at = await withWorktree();
  at.write('src/a.txt', 'mine\n');
  at.git('commit', '-qam', 'mine');
  at.repo.write('src/a.txt', 'theirs\n');
  at.repo.commit('theirs');
  expect(() => at.git('merge', 'main')).toThrow();
  at.write('src/a.txt', 'both\n');
  at.git('add', '-A');
  // Its commit is gone from the branch: nothing else names the content any more.
  at.git('update-ref', 'HEAD', 'main');
  lose(at.repo, at.git('rev-parse', 'ORIG_HEAD:src/a.txt'));
  expect(await at.mend(true)).toEqual({ mended: [{ path: at.path, restored: [], unstaged: [] }], left: [] });
  expect(at.git('ls-files', '--resolve-undo')).toBe('');
});

it('an index that another git is just writing is left alone, and so is the person’s own', async () => {
  await using at = await withWorktree();
  const { repo } = at;
  at.write('src/new.txt', 'new\n');
  at.git('add', '-A');
  lose(repo, at.git('write-tree'));
  const lock = join(repo.gitDir, 'worktrees/ada/index.lock');
  writeFileSync(lock, '');
  expect(await at.mend()).toEqual({ mended: [], left: [at.path] });
  expect(existsSync(lock)).toBe(true);
  rmSync(lock);
  expect(await at.mend()).toMatchObject({ mended: [{ path: at.path }] });
  repo.write('own.txt', 'own\n');
  repo.sh(['add', '-A']);
  lose(repo, repo.sh(['write-tree']));
  expect(await at.mend()).toEqual({ mended: [], left: [] });
});
