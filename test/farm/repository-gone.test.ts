import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { socketPath } from '../../src/api/place.ts';
import { writeBoard } from '../support/board.ts';
import { farm, furrowIn } from '../support/farm.ts';
import { assertNoLeak, processesOf } from '../support/processes.ts';
import { gitRepo, leftIn, type TestRepo } from '../support/repo.ts';

/** A farm at this path with an agent at work that does not end by itself, and a temporary folder of its own. */
async function busyFarm(repo: TestRepo, root: string) {
  await writeBoard(repo, [{ id: 1, script: ['fork 2', 'ignore-signals', 'hang'] }]);
  await repo.commit('board');
  const temporary = join(repo.base, 'tmp');
  await mkdir(temporary);
  repo.env['TMPDIR'] = temporary;
  const there = { ...repo, root };
  if (root !== repo.root) await rename(repo.root, root);
  const running = farm(there);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.ask('status')).agents[0]?.state).toBe('working');
  return { there, temporary };
}

/** All that is at a path, which should not be there. */
const everything = (path: string) => readdir(path, { recursive: true }).catch(() => []);

const removed = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 5 });

const FILES = { 'furrow.yaml': 'agent: scripted\nagents: { scripted: { driver: scripted } }\n' };

it.each<[string, string, (root: string) => Promise<void>, RegExp]>([
  ['removed', 'repo', removed, /is no folder|not inside a git repository/],
  ['removed, with its socket elsewhere', `r${'o'.repeat(100)}`, removed, /is no folder|not inside a git repository/],
  ['left without its .git', 'repo', (root) => removed(join(root, '.git')), /not inside a git repository/],
  ['moved', 'repo', (root) => rename(root, `${root}-moved`), /is no folder|not inside a git repository/],
])('a repository that is %s ends its daemon, its agents and its terminals, and nothing is left outside', async (_how, name, act, says) => {
  await using repo = await gitRepo(FILES);
  const { there, temporary } = await busyFarm(repo, join(repo.base, name));
  expect(processesOf(repo.base).length).toBeGreaterThan(3);
  await act(there.root);
  await assertNoLeak(repo.base, 15_000);
  expect(await leftIn(temporary)).toEqual([]);
  const folder = dirname(socketPath(there.root));
  expect(folder.startsWith(there.root) || !existsSync(folder)).toBe(true);
  if (!name.startsWith('repo') || _how === 'removed') expect((await everything(there.root)).join('\n')).toBe('');
  const said = await furrowIn(there, { cwd: repo.base }, 'status', '--repo', there.root);
  expect([said.code, said.stderr]).toEqual([1, expect.stringMatching(says)]);
});

it('a repository that is removed slowly, its lock long before the rest, leaves no socket outside either', async () => {
  await using repo = await gitRepo(FILES);
  const { there } = await busyFarm(repo, join(repo.base, `r${'o'.repeat(100)}`));
  const folder = dirname(socketPath(there.root));
  await removed(join(there.root, '.git/furrow.run'));
  // The daemon takes this for another one that has its place, and closes its store.
  await expect.poll(() => existsSync(join(there.root, '.furrow/store.db-wal'))).toBe(false);
  await removed(there.root);
  await assertNoLeak(repo.base, 60_000);
  expect(await everything(folder)).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});
