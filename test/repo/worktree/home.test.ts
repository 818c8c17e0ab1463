import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FarmFile, fateOf } from '../../../src/platform/farm-file.ts';
import { leaveHome, takeHome } from '../../../src/repo/worktree/home.ts';
import { gitRepo } from '../../platform/git/repo.ts';

const ID = '89abcdef';

describe('the folder for worktrees', () => {
  it('is beside the repository, and is the same at the next start', async () => {
    await using repo = await gitRepo();
    expect(await takeHome(repo, ID, undefined)).toBe(`${repo.root}.furrow`);
    expect(await takeHome(repo, ID, undefined)).toBe(`${repo.root}.furrow`);
  });

  it.each([
    ['belongs to another repository', 'furrow.json', JSON.stringify({ id: '01234567', gitDir: '/elsewhere/.git' })],
    ['has a mark that cannot be read', 'furrow.json', '{'],
    ['has files of somebody', 'notes.txt', 'mine'],
  ])('is another one when that %s, which stays as it is', async (_what, name, text) => {
    await using repo = await gitRepo();
    mkdirSync(`${repo.root}.furrow`);
    writeFileSync(join(`${repo.root}.furrow`, name), text);
    expect(await takeHome(repo, ID, undefined)).toBe(`${repo.root}-${ID}.furrow`);
    expect(readdirSync(`${repo.root}.furrow`)).toEqual([name]);
  });

  it('is below the home folder when the parent is part of another repository', async () => {
    await using repo = await gitRepo();
    repo.sh(['init', '-q'], dirname(repo.root));
    const before = process.env['HOME'];
    process.env['HOME'] = join(dirname(repo.root), 'user');
    try {
      expect(await takeHome(repo, ID, undefined)).toBe(join(dirname(repo.root), 'user', 'furrow', `repo-${ID}`));
    } finally {
      process.env['HOME'] = before;
    }
  });

  it('is never inside the checkout', async () => {
    await using repo = await gitRepo();
    await expect(takeHome(repo, ID, join(repo.root, 'build'))).rejects.toMatchObject({ code: 'BAD_ROOT' });
  });

  it('goes when it is left empty, and stays when something is in it', async () => {
    await using repo = await gitRepo();
    const home = await takeHome(repo, ID, undefined);
    mkdirSync(join(home, 'worktrees/default/ada'), { recursive: true });
    writeFileSync(join(home, 'worktrees/default/ada/mine.txt'), 'mine');
    await leaveHome(home);
    expect(readdirSync(join(home, 'worktrees/default/ada'))).toEqual(['mine.txt']);
  });
});

describe('the identity of a farm', () => {
  const stored: FarmFile = { id: ID, gitDir: '/a/.git', inode: '1:2' };
  it.each([
    ['new', undefined, { gitDir: '/a/.git', inode: '1:2' }, false],
    ['same', stored, { gitDir: '/a/.git', inode: '1:2' }, false],
    ['same', stored, { gitDir: '/a/.git', inode: '9:9' }, false],
    ['moved', stored, { gitDir: '/b/.git', inode: '1:2' }, false],
    ['moved', stored, { gitDir: '/b/.git', inode: '9:9' }, false],
    ['copied', stored, { gitDir: '/b/.git', inode: '9:9' }, true],
  ] as const)('%s: stored %o, found %o, original still there: %s', (fate, before, here, original) => {
    expect(fateOf(before, here, original)).toBe(fate);
  });
});
