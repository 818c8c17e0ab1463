import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRef, listRefs } from '../../../src/platform/git/refs.ts';
import { worktrees } from '../../../src/platform/git/worktrees.ts';
import { prove } from '../../../src/repo/worktree/prove-place.ts';
import { farm } from './farm.ts';

const proven = (f: Awaited<ReturnType<typeof farm>>, agent: string, task: string, base = f.base) =>
  prove(f, f.pathOf(agent), { branch: `furrow/p/${agent}/${task}`, base });

describe('a worktree', () => {
  it('is made twenty times at once, three times over, without a failure or a branch too many', async () => {
    await using f = await farm();
    const agents = Array.from({ length: 20 }, (_, n) => `agent-${n}`);
    for (const task of ['1', '2', '3']) {
      const fresh = task === '3';
      const made = await Promise.all(agents.map((agent) => f.prepare(agent, task, { fresh })));
      expect(made.every(({ created, rescued, kept }) => created === (task !== '2') && !rescued && !kept)).toBe(true);
    }
    expect(await proven(f, 'agent-7', '3')).toEqual([]);
    expect(await worktrees(f)).toHaveLength(21);
    expect(await listRefs(f, 'refs/heads/furrow/')).toHaveLength(60);
    expect(readdirSync(join(f.places.worktrees, 'p'))).toHaveLength(20);
  });

  it('keeps its ignored files from task to task, and nothing else', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    f.put('ada', 'build/cache.o', 'warm');
    f.put('ada', 'notes.txt', 'untracked');
    f.put('ada', 'readme.md', 'changed\n');
    expect(await f.prepare('ada', '2')).toEqual({ created: false, clean: false, rescued: 'refs/furrow/rescue/ada/1' });
    expect(await proven(f, 'ada', '2')).toEqual([]);
    expect(readFileSync(join(f.pathOf('ada'), 'build/cache.o'), 'utf8')).toBe('warm');
    expect(existsSync(join(f.pathOf('ada'), 'notes.txt'))).toBe(false);
    expect(f.sh(['show', 'refs/furrow/rescue/ada/1:notes.txt'])).toBe('untracked');
    expect(f.sh(['show', 'refs/furrow/rescue/ada/1:readme.md'])).toBe('changed');
  });

  it('prepared twice is the same as once', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    expect(await f.prepare('ada', '1')).toEqual({ created: false, clean: true, rescued: undefined });
    expect(await listRefs(f, 'refs/furrow/')).toEqual([]);
  });

  it('begins where the last attempt ended when told so, and the tip of one that did not go on is kept', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    f.put('ada', 'work.txt', 'attempt 1');
    f.sh(['add', '-A'], f.pathOf('ada'));
    f.sh(['commit', '-q', '-m', 'attempt 1'], f.pathOf('ada'));
    const first = f.sh(['rev-parse', 'HEAD'], f.pathOf('ada'));
    await f.prepare('ada', '1', { continueFrom: first });
    expect(await proven(f, 'ada', '1', first)).toEqual([]);
    expect(await listRefs(f, 'refs/furrow/')).toEqual([]);
    await f.prepare('ada', '1');
    expect(await proven(f, 'ada', '1')).toEqual([]);
    expect((await listRefs(f, 'refs/furrow/pin-branch/')).map(({ oid }) => oid)).toEqual([first]);
  });

  it('is not given a branch that is checked out elsewhere', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    await expect(f.prepare('bob', '1', { branch: 'furrow/p/ada/1' })).rejects.toMatchObject({ code: 'BRANCH_IN_USE' });
    expect(await proven(f, 'ada', '1')).toEqual([]);
  });

  it('is never made outside the folder for worktrees', async () => {
    await using f = await farm();
    mkdirSync(join(f.root, 'elsewhere'));
    mkdirSync(f.places.worktrees, { recursive: true });
    symlinkSync(join(f.root, 'elsewhere'), join(f.places.worktrees, 'link'));
    for (const path of [f.root, join(f.root, 'src'), join(f.places.worktrees, 'link', 'ada')]) {
      await expect(f.prepare('ada', '1', { path })).rejects.toMatchObject({ code: 'NOT_OURS' });
    }
  });
});

describe('a worktree that cannot be used again is put aside, whole, and a new one made:', () => {
  const put = (name: string, damage: (f: Awaited<ReturnType<typeof farm>>, path: string, admin: string) => void) =>
    it(name, async () => {
      await using f = await farm();
      await f.prepare('ada', '1');
      const path = f.pathOf('ada');
      f.put('ada', 'precious.txt', 'do not lose');
      damage(f, path, join(f.gitDir, 'worktrees/ada'));
      const made = await f.prepare('ada', '1');
      expect(made).toMatchObject({ created: true, kept: { path: `${path}.kept-1` } });
      expect(readFileSync(join(made.kept!.path, 'precious.txt'), 'utf8')).toBe('do not lose');
      expect(await proven(f, 'ada', '1')).toEqual([]);
      expect(readFileSync(join(f.root, 'readme.md'), 'utf8')).toBe('hello\n');
      expect(f.sh(['fsck', '--no-dangling'])).toBe('');
      f.sh(['worktree', 'list']);
    });

  put('a nested repository that cleaning leaves', (f, path) => {
    f.sh(['init', '-q', join(path, 'nested')]);
    writeFileSync(join(path, 'nested/work.txt'), 'x');
  });
  put('its .git file gone', (_f, path) => rmSync(join(path, '.git')));
  put('its .git a repository of the agent’s own', (f, path) => {
    rmSync(join(path, '.git'));
    f.sh(['init', '-q', path]);
    f.sh(['config', 'core.fsmonitor', `touch '${f.root}/CANARY'`], path);
  });
  put('its .git file leading to the user’s checkout', (f, path) => writeFileSync(join(path, '.git'), `gitdir: ${f.gitDir}\n`));
  put('a link planted as its reflog', (f, _path, admin) => {
    rmSync(join(admin, 'logs/HEAD'));
    symlinkSync(join(f.root, 'readme.md'), join(admin, 'logs/HEAD'));
  });
  put('a hard link planted as its commit message', (f, _path, admin) => linkSync(join(f.root, 'readme.md'), join(admin, 'COMMIT_EDITMSG')));
  put('its index in pieces', (_f, _path, admin) => writeFileSync(join(admin, 'index'), 'garbage'));
});

describe('before an agent starts', () => {
  const refuses = (name: string, damage: (f: Awaited<ReturnType<typeof farm>>, path: string) => void, problem: RegExp) =>
    it(`${name} is seen`, async () => {
      await using f = await farm();
      await f.prepare('ada', '1');
      expect(await proven(f, 'ada', '1')).toEqual([]);
      damage(f, f.pathOf('ada'));
      expect((await proven(f, 'ada', '1')).join('; ')).toMatch(problem);
    });
  refuses('a missing .git file', (_f, path) => rmSync(join(path, '.git')), /git does not find a worktree/);
  refuses(
    'a .git file that leads to the user’s checkout',
    (f, path) => {
      writeFileSync(join(path, '.git'), `gitdir: ${f.gitDir}\n`);
    },
    /belongs to another repository/,
  );
  refuses('an untracked file', (_f, path) => writeFileSync(join(path, 'x'), ''), /1 uncommitted path, x first/);
  refuses('a branch that moved', (f, path) => f.sh(['commit', '-q', '--allow-empty', '-m', 'x'], path), /is at .*, not at/);
  refuses('another branch', (f, path) => f.sh(['checkout', '-q', '-b', 'mine'], path), /HEAD is ref: refs\/heads\/mine/);
  refuses('a lost registration', (f) => rmSync(join(f.gitDir, 'worktrees/ada'), { recursive: true }), /not a registered worktree/);
});

it('a branch pinned already is not pinned again', async () => {
  await using f = await farm();
  await f.prepare('ada', '1');
  f.sh(['commit', '-q', '--allow-empty', '-m', 'x'], f.pathOf('ada'));
  const tip = f.sh(['rev-parse', 'HEAD'], f.pathOf('ada'));
  await createRef(f, 'refs/furrow/pin/p/1/1', tip);
  await f.prepare('ada', '1');
  expect(await listRefs(f, 'refs/furrow/pin-branch/')).toEqual([]);
});
