import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nextEpoch } from '../../../src/repo/merge/epoch.ts';
import { publish } from '../../../src/repo/merge/publish.ts';
import { full, mounted } from '../../support/disk.ts';
import { lines, TestRepo } from './repo.ts';

const LONG = 'a line that was landed\n'.repeat(20_000);

/** A checkout of main on a disk of one megabyte, and a landing that has no room there once the disk is full. */
async function small(repo: TestRepo) {
  const [disk, at] = [join(repo.folder, 'disk'), join(repo.folder, 'disk/at')];
  const place = await mounted(disk, '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs');
  if (!place.ok) return undefined;
  repo.git('switch', '-q', '--create', 'elsewhere');
  repo.git('worktree', 'add', '-q', at, 'main');
  const old = repo.git('rev-parse', 'main');
  const to = repo.commitOn(old, { 'a.txt': LONG, 'new/n.txt': LONG, 'c.txt': null });
  const epoch = await nextEpoch(repo);
  return {
    at,
    old,
    publish: () => publish(repo, 'main', { old, new: to, epoch }),
    status: () => repo.gitIn(at, 'status', '--porcelain'),
    fill: () => full(join(disk, 'fill')),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

const root = process.getuid?.() === 0;

it.skipIf(!root)('a publication that a full disk cut short leaves nothing in its own way', async (t) => {
  using repo = new TestRepo();
  await using one = await small(repo);
  if (!one) return t.skip('mounting is not possible here');
  const filled = one.fill();
  expect(await one.publish()).toMatchObject({ published: false, reason: expect.stringMatching(/^git is unable to/) });
  expect(repo.git('rev-parse', 'main')).toBe(one.old);
  filled.empty();
  expect(await one.publish()).toEqual({ published: true });
  expect([one.status(), readFileSync(join(one.at, 'a.txt'), 'utf8') === LONG, existsSync(join(one.at, 'c.txt'))]).toEqual([
    '',
    true,
    false,
  ]);
});

it.skipIf(!root)('a file that a person wrote after it was cut short is theirs', async (t) => {
  using repo = new TestRepo();
  await using one = await small(repo);
  if (!one) return t.skip('mounting is not possible here');
  const filled = one.fill();
  await one.publish();
  filled.empty();
  writeFileSync(join(one.at, 'a.txt'), lines('a', { 3: 'my own words' }));
  expect(await one.publish()).toMatchObject({ published: false, paths: ['a.txt'] });
  expect(readFileSync(join(one.at, 'a.txt'), 'utf8')).toContain('my own words');
});
