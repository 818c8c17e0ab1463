import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryAt } from '../../src/daemon/farm/repository.ts';
import { newestLanding } from '../../src/daemon/leader/target/push.ts';
import { openStore } from '../../src/journal/store.ts';
import { writeBoard } from '../support/board.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { replayChecks } from '../support/oracle.ts';
import type { TestRepo } from '../support/repo.ts';
import { file, scriptedRepo } from './shell.ts';

const AFTER = 'queue: { after: [{ name: e2e, run: "! grep -rqs slow src" }] }\n';
const attention = async (running: TestFarm) =>
  (await running.ask('status')).attention as { kind: string; subject: string; reason: string }[];
const kinds = async (running: TestFarm, task: string) => (await running.events('--task', task)).map((event) => event.kind);
const onMain = (repo: TestRepo, path: string) => repo.git('show', `main:${path}`).catch(() => 'not there');

it('what turns a slow check red is taken back through the queue and done again, told why; what stands on it is named', async () => {
  await using repo = await scriptedRepo(AFTER);
  await writeBoard(repo, [
    { id: 1, script: ['write src/1.txt slow', 'commit one', 'attempt 2:', 'write src/1.txt mended', 'commit two'] },
    { id: 2, depends_on: [1], script: file(2) },
    { id: 3, script: file(3) },
  ]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2', '--until', 'forever', '--detach');
  await expect.poll(() => onMain(repo, 'src/1.txt')).toBe('mended');
  expect(await kinds(running, '1')).toEqual(expect.arrayContaining(['task.reverting', 'task.reverted']));
  expect(await attention(running)).toContainEqual(
    expect.objectContaining({ kind: 'fallout', subject: '2', reason: expect.stringContaining('depends on 1') }),
  );
  expect([await onMain(repo, 'src/2.txt'), await onMain(repo, 'src/3.txt')]).toEqual(['2', '3']);
  const reverts = await repo.git('log', '--grep=^Furrow-Reverts: ', '--format=%B', 'main');
  expect(reverts).toMatch(
    /^revert 1: Task 1\n\ne2e passes without it.*\n\nFurrow-Reverts: .*\nFurrow-Evidence: .*\nFurrow-Task: 1-.*\nFurrow-Phase: revert\n/,
  );
  expect((await replayChecks(repo, 'main', 'sh check.sh')).red).toEqual([]);
});

it('a slow check that was red before anything landed blames nobody, and says so', async () => {
  const after = 'queue: { after: [{ name: e2e, run: "! grep -rs slow src || { echo Error: too slow; exit 3; }" }] }\n';
  await using repo = await scriptedRepo(after, { 'src/old.txt': 'slow\n' });
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  await expect
    .poll(() => attention(running))
    .toContainEqual(expect.objectContaining({ kind: 'after', reason: expect.stringContaining('no task is to blame') }));
  const question = (await running.ask('status')).attention.find((one: { kind: string }) => one.kind === 'after');
  const { output } = question;
  expect(output).toMatchObject({ check: 'e2e', detail: 'exit 3', lines: expect.arrayContaining(['Error: too slow']) });
  expect(question.reason).toContain(`(exit 3): Error: too slow. Output: ${output.path}`);
  expect(await readFile(output.path, 'utf8')).toContain('src/old.txt:slow');
  expect((await running.furrow('status')).stdout).toMatch(/Error: too slow\n.*furrow logs e2e\n/s);
  expect(await onMain(repo, 'src/1.txt')).toBe('1');
});

it('a landing goes to the remote once it is published, and a remote with work of its own is never overwritten', async () => {
  await using repo = await scriptedRepo('queue: { remote: origin }\n');
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', '../remote.git');
  await repo.git('remote', 'add', 'origin', '../remote.git');
  await repo.git('push', '--quiet', 'origin', 'main');
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  const remote = async () => (await repo.git('ls-remote', 'origin', 'refs/heads/main')).split('\t')[0];
  await expect.poll(remote).toBe(await repo.git('rev-parse', 'main'));
  await repo.git('clone', '--quiet', '../remote.git', '../other');
  await repo.git(
    '-C',
    '../other',
    '-c',
    'user.name=O',
    '-c',
    'user.email=o@x',
    'commit',
    '--quiet',
    '--allow-empty',
    '--message',
    'theirs',
  );
  await repo.git('-C', '../other', 'push', '--quiet', 'origin', 'main');
  const theirs = await remote();
  await writeBoard(repo, [{ id: 2, script: file(2) }]);
  await running.furrow('work', '--parallel', '1');
  await expect
    .poll(() => attention(running))
    .toContainEqual(expect.objectContaining({ kind: 'push', reason: expect.stringContaining('git pull') }));
  expect(await remote()).toBe(theirs);
  // What the question names is typed as it is, on another branch; then it is there, and the question goes.
  const { reason } = (await attention(running)).find((one: { kind: string }) => one.kind === 'push')!;
  await repo.git('switch', '--quiet', '--create', 'elsewhere');
  await repo.git('-c', `alias.typed=!${/brought in: (.*)$/.exec(reason)![1]}`, 'typed');
  await expect.poll(() => attention(running)).toEqual([]);
  expect(await remote()).toBe(await repo.git('rev-parse', 'main'));
  for (const commit of [theirs!, 'main^1']) await repo.git('merge-base', '--is-ancestor', commit, 'main');
});

it('a target that is changed is pushed for itself: the landings of the one before stay where they are', async () => {
  await using repo = await scriptedRepo('target: main\nqueue: { remote: origin }\n');
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', '../remote.git');
  await repo.git('remote', 'add', 'origin', '../remote.git');
  await repo.git('branch', 'release');
  await repo.git('push', '--quiet', 'origin', 'main', 'release');
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  const remote = async (branch: string) => (await repo.git('ls-remote', 'origin', `refs/heads/${branch}`)).split('\t')[0];
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  await expect.poll(() => remote('main')).toBe(await repo.git('rev-parse', 'main'));
  await running.furrow('stop', '--all');
  await repo.write('furrow.yaml', (await readFile(join(repo.root, 'furrow.yaml'), 'utf8')).replace('target: main', 'target: release'));
  await repo.git('branch', 'fix', await repo.git('commit-tree', '-p', 'release', '-m', 'fix', 'main^{tree}'));
  expect(await running.furrow('submit', 'fix', '--wait')).toMatchObject({ code: 0 });
  await expect.poll(() => remote('release')).toBe(await repo.git('rev-parse', 'refs/furrow/head/release'));
  expect((await attention(running)).filter(({ kind }) => kind === 'push')).toEqual([]);
});

it('only what the target still has is pushed: a landing that was taken out of it while the remote was away is left out', async () => {
  await using repo = await scriptedRepo();
  const db = await openStore(join(repo.base, 'store.db'));
  const commits: string[] = [];
  for (const n of [1, 2, 3]) {
    await repo.write(`n${n}`, 'x');
    const row = { target: 'main', commit: await repo.commit(`land ${n}`), tree: '', parent: '', entries: '[]', steps: '[]', at: n };
    commits.push(row.commit);
    await db
      .insertInto('landing')
      .values({ ...row, published: n === 3 ? null : n })
      .execute();
  }
  const newest = (at: string, target = 'main') =>
    newestLanding(
      { db, git: repositoryAt({ root: repo.root, gitDir: `${repo.root}/.git` }) },
      { queue: { target }, targetAt: at, newest: undefined },
    );
  expect(await newest(commits[2]!)).toBe(commits[1]);
  expect(await newest(commits[0]!)).toBe(commits[0]);
  expect(await newest(await repo.git('rev-parse', `${commits[0]}^`))).toBeUndefined();
  expect(await newest(commits[2]!, 'release')).toBeUndefined();
  await db.destroy();
});
