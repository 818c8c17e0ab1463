import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { worktrees } from '../../../src/platform/git/worktrees.ts';
import { type Ahead, fillingAhead } from '../../../src/repo/worktree/fill-ahead.ts';
import { prove } from '../../../src/repo/worktree/prove-place.ts';
import { farm, type TestFarm } from './farm.ts';

/** What goes wrong while a worktree is filled is an error of the test. */
function aheadIn(f: TestFarm): { ahead: Ahead; wrong: Error[] } {
  const wrong: Error[] = [];
  return { ahead: fillingAhead(f, f.places.trash, (_, error) => wrong.push(error)), wrong };
}

const fileOf = (f: TestFarm, agent: string) => join(f.pathOf(agent), 'readme.md');

describe('a worktree that is filled ahead', () => {
  it('gets its branch at the start, and no file of it is written again', async () => {
    await using f = await farm();
    const { ahead, wrong } = aheadIn(f);
    ahead.fill(f.pathOf('ada'), f.base);
    const filled = await ahead.take(f.pathOf('ada'));
    expect(filled).toBe(f.base);
    const before = statSync(fileOf(f, 'ada'));
    expect(await f.prepare('ada', '1', { filled })).toEqual({ created: true, clean: true, rescued: undefined });
    expect(statSync(fileOf(f, 'ada'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(await prove(f, f.pathOf('ada'), { branch: 'furrow/p/ada/1', base: f.base })).toEqual([]);
    expect(wrong).toEqual([]);
  });

  it('is left alone where anything is already', async () => {
    await using f = await farm();
    const { ahead, wrong } = aheadIn(f);
    await f.prepare('ada', '1');
    f.put('ada', 'notes.txt', 'mine');
    f.put('bob', 'notes.txt', 'mine');
    for (const agent of ['ada', 'bob']) ahead.fill(f.pathOf(agent), f.base);
    expect([await ahead.take(f.pathOf('ada')), await ahead.take(f.pathOf('bob'))]).toEqual([undefined, undefined]);
    for (const agent of ['ada', 'bob']) expect(readFileSync(join(f.pathOf(agent), 'notes.txt'), 'utf8')).toBe('mine');
    expect(wrong).toEqual([]);
  });

  it('is not waited for behind others, nor begun after its start has asked', async () => {
    await using f = await farm();
    const { ahead, wrong } = aheadIn(f);
    for (const agent of ['ada', 'bob', 'cyd', 'dan']) ahead.fill(f.pathOf(agent), f.base);
    expect(await ahead.take(f.pathOf('cyd'))).toBe(undefined);
    await ahead.close();
    expect((await worktrees(f)).map(({ path }) => path).sort()).toEqual([f.root, f.pathOf('ada'), f.pathOf('bob')].sort());
    expect(existsSync(f.pathOf('dan')), 'after its end nothing is filled').toBe(false);
    expect((await f.prepare('cyd', '1')).created).toBe(true);
    expect(wrong).toEqual([]);
  });

  it('is prepared like any kept one when the start is at another commit, or a person changed something in it: that is saved', async () => {
    await using f = await farm();
    const { ahead } = aheadIn(f);
    ahead.fill(f.pathOf('ada'), f.base);
    const filled = await ahead.take(f.pathOf('ada'));
    writeFileSync(join(f.root, 'later.txt'), 'later\n');
    f.sh(['add', '-A']);
    f.sh(['commit', '-q', '-m', 'later']);
    const base = f.sh(['rev-parse', 'main']);
    expect(await f.prepare('ada', '1', { base, filled })).toEqual({ created: false, clean: true, rescued: undefined });
    expect(await prove(f, f.pathOf('ada'), { branch: 'furrow/p/ada/1', base })).toEqual([]);

    ahead.fill(f.pathOf('bob'), base);
    const ready = await ahead.take(f.pathOf('bob'));
    f.put('bob', 'readme.md', 'changed\n');
    expect(await f.prepare('bob', '1', { base, filled: ready })).toMatchObject({ created: false, rescued: 'refs/furrow/rescue/bob/1' });
    expect(f.sh(['show', 'refs/furrow/rescue/bob/1:readme.md'])).toBe('changed');
  });
});
