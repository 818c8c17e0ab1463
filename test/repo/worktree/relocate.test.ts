import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { worktrees } from '../../../src/platform/git/worktrees.ts';
import { placesOf } from '../../../src/platform/places.ts';
import { relocate } from '../../../src/repo/worktree/relocate.ts';
import { farm, type TestFarm } from './farm.ts';

const order = (f: TestFarm, busy: string[] = []) => ({
  repo: f,
  from: f.places,
  to: placesOf(f.root, join(dirname(f.root), 'elsewhere')),
  landed: { target: f.base },
  busy: new Set(busy),
});

it('a worktree with work of its own is moved, one without goes to the trash, one in use stays', async () => {
  await using f = await farm();
  for (const agent of ['ada', 'bob', 'eve']) await f.prepare(agent, '1');
  f.put('ada', 'half.txt', 'half\n');
  f.put('eve', 'half.txt', 'half\n');
  const want = order(f, [f.pathOf('eve')]);
  const to = join(want.to.worktrees, 'p', 'ada');
  const done = await relocate(want);
  expect(new Map(done.map((one) => [one.path, one.to]))).toEqual(
    new Map([
      [f.pathOf('ada'), to],
      [f.pathOf('bob'), null],
      [f.pathOf('eve'), f.pathOf('eve')],
    ]),
  );
  expect(readFileSync(join(to, 'half.txt'), 'utf8')).toBe('half\n');
  expect(f.sh(['status', '--porcelain'], to)).toBe('?? half.txt');
  expect((await worktrees(f)).map(({ path }) => path).sort()).toEqual([f.root, to, f.pathOf('eve')].sort());
});

it('killed between the move and its registration, it is finished the next time', async () => {
  await using f = await farm();
  await f.prepare('ada', '1');
  f.put('ada', 'half.txt', 'half\n');
  const want = order(f);
  const to = join(want.to.worktrees, 'p', 'ada');
  mkdirSync(dirname(to), { recursive: true });
  renameSync(f.pathOf('ada'), to);
  expect(await relocate(want)).toEqual([{ path: f.pathOf('ada'), to }]);
  expect(f.sh(['status', '--porcelain'], to)).toBe('?? half.txt');
  expect(existsSync(f.pathOf('ada'))).toBe(false);
});
