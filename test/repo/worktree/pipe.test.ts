import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harvest } from '../../../src/repo/worktree/harvest.ts';
import { commitAll, snapshot } from '../../../src/repo/worktree/snapshot.ts';
import { farm, type TestFarm } from './farm.ts';

/** A worktree in which readme.md was replaced by a named pipe, beside work that git can hold. */
async function withPipes(f: TestFarm): Promise<string> {
  await f.prepare('ada', '1');
  const path = f.pathOf('ada');
  rmSync(join(path, 'readme.md'));
  for (const name of ['readme.md', 'src/new.pipe']) execFileSync('mkfifo', [join(path, name)]);
  f.put('ada', 'work.txt', 'work\n');
  return path;
}

describe('a named pipe in an agent’s work', () => {
  it('is named, and the rest is saved', async () => {
    await using f = await farm();
    const path = await withPipes(f);
    const saved = await snapshot(f, path, 'saved\n', 0);
    expect(f.sh(['diff', '--name-status', 'main', saved!])).toBe('A\twork.txt');
    const left = await harvest(f, path, { branch: 'furrow/p/ada/1', base: f.base });
    expect(left).toMatchObject({ dirty: true, special: ['readme.md'] });
    expect(lstatSync(join(path, 'readme.md')).isFIFO()).toBe(true);
  });

  it('does not keep furrow from committing the rest for the agent', async () => {
    await using f = await farm();
    const path = await withPipes(f);
    const author = { name: 'Ada', email: 'ada@example.org' };
    const tip = await commitAll(f, path, { branch: 'furrow/p/ada/1', message: 'work\n', author, at: 0 });
    expect(f.sh(['diff', '--name-status', 'main', tip])).toBe('A\twork.txt');
    const left = await harvest(f, path, { branch: 'furrow/p/ada/1', base: f.base });
    expect(left).toMatchObject({ commits: 1, uncommitted: ['readme.md'], special: ['readme.md'] });
  });

  it('is no reason to put the worktree aside: the next task finds the file', async () => {
    await using f = await farm();
    const path = await withPipes(f);
    expect(await f.prepare('ada', '2')).toMatchObject({ created: false, rescued: 'refs/furrow/rescue/ada/1' });
    expect(readFileSync(join(path, 'readme.md'), 'utf8')).toBe('hello\n');
  });

  it.each(['.gitignore', 'src/.gitattributes'])(
    'at %s, where every git waits, is named at once, and the worktree is put aside',
    async (name) => {
      await using f = await farm();
      const path = await withPipes(f);
      rmSync(join(path, name), { force: true });
      execFileSync('mkfifo', [join(path, name)]);
      const branch = 'furrow/p/ada/1';
      await expect(harvest(f, path, { branch, base: f.base })).rejects.toMatchObject({
        code: 'PIPE_IN_WORK',
        hint: `rm ${join(path, name)}`,
      });
      expect(await f.prepare('ada', '2')).toMatchObject({ created: true, kept: { path: `${path}.kept-1` } });
    },
    20_000,
  );

  it('in place of .git does not stop the farm: the worktree is put aside', async () => {
    await using f = await farm();
    const path = await withPipes(f);
    rmSync(join(path, '.git'));
    execFileSync('mkfifo', [join(path, '.git')]);
    expect(await f.prepare('ada', '2')).toMatchObject({ created: true, kept: { path: `${path}.kept-1` } });
  });
});
