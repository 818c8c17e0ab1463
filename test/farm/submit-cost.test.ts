import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verbOf } from '../../src/platform/git/at-work.ts';
import { farm } from '../support/farm.ts';
import { branchWith, gitRepo } from '../support/repo.ts';
import { scriptedRepo } from './shell.ts';

const COUNT = 12;

it('a branch that is submitted costs one tick and one git', async () => {
  await using repo = await scriptedRepo();
  const names = Array.from({ length: COUNT }, (_, n) => `side-${n}`);
  for (const name of names) await branchWith(repo, name, { [`src/${name}.txt`]: `${name}\n` });
  await using running = farm({ ...repo, env: { ...repo.env, FURROW_LOG: 'debug' } });
  await running.furrow('queue', 'pause');
  const ticks = async () => Number(/^furrow_tick_seconds_count (\d+)$/m.exec((await running.furrow('metrics')).stdout)?.[1]);
  const gits = () =>
    readFileSync(join(repo.root, '.furrow/logs/daemon.log'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => verbOf((JSON.parse(line) as { argv?: string[] }).argv ?? []) ?? []);
  // The first starts gits that stay.
  expect((await running.furrow('submit', names[0]!)).code).toBe(0);
  const [before, started] = [await ticks(), gits().length];
  for (const name of names.slice(1)) expect((await running.furrow('submit', name)).code).toBe(0);
  const after = await ticks();
  expect((await running.ask('queue')).entries).toHaveLength(COUNT);
  expect(after - before).toBeGreaterThanOrEqual(1);
  // Two each would be 22 or more. Besides one each there is one every ten seconds.
  expect(after - before).toBeLessThan(COUNT * 1.7);
  // The ref that keeps its commit. Gits that stay may be started again.
  const verbs = gits().slice(started);
  expect(verbs.filter((verb) => verb === 'update-ref')).toHaveLength(COUNT - 1);
  expect(verbs.length).toBeLessThan(COUNT * 1.5);
});

it('a branch that begins at a commit made just now changes only what is its own', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': 'check: "true"\napprove: [careful/**]\n' });
  await using running = farm(repo);
  await running.furrow('queue', 'pause');
  for (let n = 0; n < 5; n++) {
    await repo.write(`careful/${n}.txt`, 'on the target itself\n');
    await repo.commit('a path that lands only after a yes');
    // Its parent is the target as the daemon may not have seen it yet.
    await repo.git('update-ref', `refs/heads/side-${n}`, await repo.git('commit-tree', '-p', 'HEAD', '-m', 'side', 'HEAD^{tree}'));
    expect((await running.ask('submit', `side-${n}`)).because).toEqual([]);
  }
});
