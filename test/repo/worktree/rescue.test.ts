import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listRefs, resolve } from '../../../src/platform/git/refs.ts';
import { harvest } from '../../../src/repo/worktree/harvest.ts';
import { prepare } from '../../../src/repo/worktree/prepare.ts';
import { prove } from '../../../src/repo/worktree/prove-place.ts';
import { commitAll, snapshot } from '../../../src/repo/worktree/snapshot.ts';
import { runs } from '../../support/all.ts';
import { farm, type TestFarm } from './farm.ts';

function replace(path: string, text: string): void {
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, text);
}

/** One thing that an agent may have done before it was killed; each works on what is there. */
const DEEDS = {
  edit: (_f, path) => replace(join(path, 'readme.md'), 'edited\n'),
  sameSize: (_f, path) => replace(join(path, 'readme.md'), 'HELLO\n'),
  untracked: (_f, path) => {
    mkdirSync(join(path, 'new dir'), { recursive: true });
    writeFileSync(Buffer.from(`${path}/new dir/latin-\xe9`, 'latin1'), Buffer.from([0, 255, 10, 13]));
  },
  remove: (_f, path) => rmSync(join(path, 'src/a.txt'), { force: true }),
  stage: (f, path) => {
    writeFileSync(join(path, 'staged.txt'), 'staged\n');
    f.sh(['add', 'staged.txt'], path);
    writeFileSync(join(path, 'staged.txt'), 'and changed again\n');
  },
  executable: (_f, path) => writeFileSync(join(path, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 }),
  fileToFolder: (_f, path) => {
    rmSync(join(path, 'readme.md'), { force: true, recursive: true });
    mkdirSync(join(path, 'readme.md'));
    writeFileSync(join(path, 'readme.md/inner'), 'x');
  },
  folderToLink: (f, path) => {
    rmSync(join(path, 'src'), { force: true, recursive: true });
    mkdirSync(join(f.places.run, 'outside'), { recursive: true });
    writeFileSync(join(f.places.run, 'outside/a.txt'), 'not the agent’s');
    symlinkSync(join(f.places.run, 'outside'), join(path, 'src'));
  },
  commit: (f, path) => f.sh(['commit', '-q', '-a', '--allow-empty', '-m', 'work'], path),
  detach: (f, path) => f.sh(['checkout', '-q', '--detach'], path),
} satisfies Record<string, (f: TestFarm, path: string) => void>;

/** The tree of a folder by another way than ours: a plain `add -A` into an empty index. */
function treeOfFolder(f: TestFarm, path: string): string {
  const index = join(f.places.run, 'oracle');
  rmSync(index, { force: true });
  const env = { PATH: process.env['PATH'], GIT_DIR: join(f.gitDir), GIT_WORK_TREE: path, GIT_INDEX_FILE: index };
  execFileSync('git', ['add', '-A'], { cwd: path, env, stdio: 'pipe' });
  return execFileSync('git', ['write-tree'], { cwd: path, env, encoding: 'utf8' }).trim();
}

describe('what an agent leaves', () => {
  it('is rescued to the byte, whatever it is, before the worktree goes on', async () => {
    await using f = await farm();
    let n = 0;
    const deeds = fc.uniqueArray(fc.constantFrom(...(Object.keys(DEEDS) as (keyof typeof DEEDS)[])), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(deeds, async (chosen) => {
        const task = String(++n);
        const rescueRef = `refs/furrow/rescue/ada/${task}`;
        await f.prepare('ada', task);
        const path = f.pathOf('ada');
        for (const deed of chosen) DEEDS[deed](f, path);
        const [before, head] = [treeOfFolder(f, path), f.sh(['rev-parse', 'HEAD'], path)];
        const made = await f.prepare('ada', `${task}-next`, { rescueRef });
        expect(made.kept).toBeUndefined();
        expect(await prove(f, path, { branch: `furrow/p/ada/${task}-next`, base: f.base })).toEqual([]);
        expect(f.sh(['for-each-ref', '--contains', head])).not.toBe('');
        const headTree = f.sh(['rev-parse', `${head}^{tree}`]);
        if (made.rescued) expect(f.sh(['rev-parse', `${made.rescued}^{tree}`])).toBe(before);
        else expect(headTree).toBe(before);
        if (chosen.includes('stage') && !chosen.includes('commit')) expect(f.sh(['show', `${rescueRef}^2:staged.txt`])).toBe('staged');
      }),
      { numRuns: runs(3) },
    );
    expect(f.sh(['fsck', '--no-dangling'])).toBe('');
    expect(readFileSync(join(f.root, 'src/a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('in the middle of a merge or a rebase is rescued with both sides', async () => {
    await using f = await farm();
    for (const how of ['merge', 'rebase']) {
      await f.prepare('ada', how);
      const path = f.pathOf('ada');
      f.put('ada', 'readme.md', 'mine\n');
      f.sh(['commit', '-q', '-a', '-m', 'mine'], path);
      f.sh(['checkout', '-q', '--detach', f.base], path);
      f.put('ada', 'readme.md', 'theirs\n');
      f.sh(['commit', '-q', '-a', '-m', 'theirs'], path);
      const theirs = f.sh(['rev-parse', 'HEAD'], path);
      f.sh(['checkout', '-q', `furrow/p/ada/${how}`], path);
      expect(() => f.sh([how, theirs], path)).toThrow();
      const made = await f.prepare('ada', `${how}-next`, { rescueRef: `refs/furrow/rescue/ada/${how}` });
      expect(made.rescued).toBe(`refs/furrow/rescue/ada/${how}`);
      expect(f.sh(['show', `${made.rescued}:readme.md`])).toMatch(/<{7}.*mine.*theirs|<{7}.*theirs.*mine/s);
      expect(f.sh(['for-each-ref', '--contains', theirs])).toContain(made.rescued);
      expect(await prove(f, path, { branch: `furrow/p/ada/${how}-next`, base: f.base })).toEqual([]);
      expect(f.sh(['status'], path)).not.toMatch(/rebasing|rebase in progress|unmerged|still merging/);
    }
  });

  it('as an edit of equal size in the second of the checkout is seen, though its times say nothing', async () => {
    await using f = await farm();
    f.sh(['config', 'core.trustctime', 'false']);
    await f.prepare('ada', '1');
    const file = join(f.pathOf('ada'), 'readme.md');
    const { atime, mtime } = statSync(file);
    f.put('ada', 'readme.md', 'HELLO\n');
    utimesSync(file, atime, mtime);
    utimesSync(join(f.gitDir, 'worktrees/ada/index'), atime, mtime);
    await sleep(1_050);
    const saved = await snapshot(f, f.pathOf('ada'), 'x');
    expect(f.sh(['show', `${saved}:readme.md`])).toBe('HELLO');
  });

  it('on a detached HEAD, clean, is rescued by its own commit', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    f.sh(['checkout', '-q', '--detach'], f.pathOf('ada'));
    f.sh(['commit', '-q', '--allow-empty', '-m', 'nobody knows'], f.pathOf('ada'));
    const lost = f.sh(['rev-parse', 'HEAD'], f.pathOf('ada'));
    expect((await f.prepare('ada', '2')).rescued).toBe('refs/furrow/rescue/ada/1');
    expect(await resolve(f, 'refs/furrow/rescue/ada/1')).toBe(lost);
  });

  it('whose commit is gone keeps its files: what it has and what it changed', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    const path = f.pathOf('ada');
    f.put('ada', 'one.txt', 'committed');
    f.sh(['add', '-A'], path);
    f.sh(['commit', '-q', '-m', 'taken by gc'], path);
    const lost = f.sh(['rev-parse', 'HEAD'], path);
    rmSync(join(f.gitDir, 'objects', lost.slice(0, 2), lost.slice(2)));
    for (const [file, text] of [
      ['readme.md', 'changed'],
      ['two words.txt', 'new'],
    ] as const)
      f.put('ada', file, text);
    const saved = await snapshot(f, path, 'x');
    const shown = (file: string) => f.sh(['show', `${saved}:${file}`]);
    expect([shown('one.txt'), shown('readme.md'), shown('two words.txt')]).toEqual(['committed', 'changed', 'new']);
  });

  it('is counted: commits, paths, dirt', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    const from = { branch: 'furrow/p/ada/1', base: f.base };
    const path = f.pathOf('ada');
    expect(await harvest(f, path, from)).toMatchObject({ tip: f.base, commits: 0, changed: [], dirty: false, detached: false });
    f.put('ada', 'src/new.txt', 'x');
    f.sh(['add', '-A'], path);
    f.sh(['commit', '-q', '-m', 'one'], path);
    f.put('ada', 'left.txt', 'x');
    f.write('other.txt', 'landed meanwhile');
    f.commit('main goes on');
    const left = await harvest(f, path, { branch: from.branch, base: 'main' });
    expect(left).toMatchObject({ commits: 1, changed: ['src/new.txt'], dirty: true, detached: false, operation: undefined });
    expect(left.tip).toBe(left.head);
  });

  it('is counted without what came from the target by a merge', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    const path = f.pathOf('ada');
    f.sh(['commit', '-q', '--allow-empty', '-m', 'one'], path);
    for (const n of [1, 2, 3]) {
      f.write(`${n}.txt`, 'landed meanwhile');
      f.commit(`main goes on ${n}`);
    }
    f.sh(['merge', '-q', '--no-edit', 'main'], path);
    const left = await harvest(f, path, { branch: 'furrow/p/ada/1', base: f.base, target: 'main' });
    expect(left).toMatchObject({ commits: 5, own: 2 });
  });
});

describe('committing for an agent', () => {
  const what = {
    branch: 'furrow/p/ada/1',
    message: 'the work\n',
    author: { name: 'Ada', email: 'ada@example.org' },
    at: 1_700_000_000_000,
  };

  it('leaves a clean worktree one commit further, and runs nothing that was planted', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    const path = f.pathOf('ada');
    const canary = join(f.root, '.furrow', 'CANARY');
    const evil = `touch '${canary}'; cat`;
    for (const hook of ['pre-commit', 'post-commit', 'reference-transaction', 'post-index-change']) {
      mkdirSync(join(f.gitDir, 'hooks'), { recursive: true });
      writeFileSync(join(f.gitDir, 'hooks', hook), `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 });
    }
    f.sh(['config', 'core.fsmonitor', `touch '${canary}'; false`]);
    // A repository the agent committed as a submodule, with a filter of its own: plain `status` and `add -A` run it.
    f.sh(['init', '-q', join(path, 'sub')]);
    f.put('ada', 'sub/file', 'a\n');
    f.sh(['-c', 'core.hooksPath=/dev/null', 'add', 'file'], join(path, 'sub'));
    f.sh(['-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-m', 'sub'], join(path, 'sub'));
    f.sh(['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', 'add', 'sub'], path);
    f.sh(['config', 'filter.x.clean', evil], join(path, 'sub'));
    writeFileSync(join(path, 'sub/.git/info/attributes'), '* filter=x\n');
    f.put('ada', 'sub/file', 'b\n');
    const config = readFileSync(join(f.gitDir, 'config'), 'utf8');
    rmSync(canary, { force: true });

    f.put('ada', 'new.txt', 'new');
    f.put('ada', 'readme.md', 'HELLO\n');
    const tip = await commitAll(f, path, what);
    expect(await commitAll(f, path, what)).toBe(tip);
    expect(await harvest(f, path, { branch: what.branch, base: f.base })).toMatchObject({ tip, head: tip, commits: 1, dirty: false });
    expect(existsSync(canary)).toBe(false);
    expect(readFileSync(join(f.gitDir, 'config'), 'utf8')).toBe(config);
    expect(f.sh(['log', '-1', '--format=%an %ae %ct %s', tip])).toBe('Ada ada@example.org 1700000000 the work');
    expect(f.sh(['show', `${tip}:readme.md`])).toBe('HELLO');
    expect(readFileSync(join(path, 'readme.md'), 'utf8')).toBe('HELLO\n');
  });

  it('twice at the same moment from the same state makes the same commit', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    f.put('ada', 'new.txt', 'new');
    const tip = await commitAll(f, f.pathOf('ada'), what);
    f.sh(['update-ref', 'refs/heads/furrow/p/ada/1', f.base]);
    expect(await commitAll(f, f.pathOf('ada'), what)).toBe(tip);
  });

  it('after a kill between commit and index leaves it clean all the same', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    const index = join(f.gitDir, 'worktrees/ada/index');
    const before = readFileSync(index);
    f.put('ada', 'new.txt', 'new');
    const tip = await commitAll(f, f.pathOf('ada'), what);
    writeFileSync(index, before);
    expect(await commitAll(f, f.pathOf('ada'), what)).toBe(tip);
    expect(f.sh(['status', '--porcelain'], f.pathOf('ada'))).toBe('');
  });

  it('does not commit the user’s checkout, another branch, or half a merge', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    await expect(commitAll(f, f.root, what)).rejects.toMatchObject({ code: 'NOT_OURS' });
    writeFileSync(join(f.gitDir, 'worktrees/ada/MERGE_HEAD'), f.base);
    await expect(commitAll(f, f.pathOf('ada'), what)).rejects.toMatchObject({ code: 'OPERATION_IN_PROGRESS' });
    rmSync(join(f.gitDir, 'worktrees/ada/MERGE_HEAD'));
    f.sh(['checkout', '-q', '-b', 'mine'], f.pathOf('ada'));
    await expect(commitAll(f, f.pathOf('ada'), what)).rejects.toMatchObject({ code: 'WRONG_BRANCH' });
  });
});

it('a snapshot touches neither index, HEAD nor refs, and of nothing there is none', async () => {
  await using f = await farm();
  await prepare(f, f.want('ada', '1'));
  const path = f.pathOf('ada');
  expect(await snapshot(f, path, 'x')).toBeUndefined();
  f.put('ada', 'new.txt', 'new');
  const index = readFileSync(join(f.gitDir, 'worktrees/ada/index'));
  const refs = await listRefs(f, 'refs/');
  const saved = await snapshot(f, path, 'x');
  expect(f.sh(['show', `${saved}:new.txt`])).toBe('new');
  expect(readFileSync(join(f.gitDir, 'worktrees/ada/index')).equals(index)).toBe(true);
  expect(await listRefs(f, 'refs/')).toEqual(refs);
  expect(f.sh(['status', '--porcelain'], path)).toBe('?? new.txt');
});
