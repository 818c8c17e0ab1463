import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, furrowIn, type TestFarm } from '../support/farm.ts';
import { isLanding } from '../support/landing.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, file, SHELL, scriptedRepo, shellRepo } from './shell.ts';

const states = async (running: TestFarm): Promise<string[]> => (await running.ask('list')).map((task: { state: string }) => task.state);
const progress = (running: TestFarm) => async () => (await running.events()).filter((event) => event.kind === 'agent.progress').length;

/** A branch beside main, with one commit that writes one file; main stays checked out. */
async function branch(repo: TestRepo, name: string, path: string, text: string): Promise<void> {
  await repo.git('switch', '--quiet', '--create', name);
  await repo.write(path, text);
  await repo.git('add', path);
  await repo.git('commit', '--quiet', '--message', name);
  await repo.git('switch', '--quiet', 'main');
}

const onMain = async (repo: TestRepo, path: string) => (await repo.tryGit('show', `main:${path}`)).stdout;
/** Opens the gate when the test ends, however it ends: a farm that is held cannot be stopped. */
const opens = (repo: TestRepo): AsyncDisposable => ({ [Symbol.asyncDispose]: () => repo.write('../gate', '') });
/** Holds every check until the test writes `gate`. */
const GATED = { 'check.sh': 'while [ ! -e ../../../gate ]; do sleep 0.05; done\n' };

it('the question about a red head goes when the entry that met it is taken out', async () => {
  await using repo = await scriptedRepo('', { 'src/broken.txt': 'bad\n' });
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  expect((await running.furrow('work', '--no-preflight', '--parallel', '1')).code).toBe(1);
  await running.furrow('queue', 'eject', '1');
  await repo.write('src/broken.txt', 'good\n');
  await repo.git('commit', '--quiet', '--all', '--message', 'mended');
  await expect.poll(async () => (await running.ask('status')).attention.map((one: { kind: string }) => one.kind)).not.toContain('queue');
});

it('rework that merges what the user changed in a protected path is not blamed for it', async () => {
  const wait = 'furrow progress "attempt $FURROW_ATTEMPT"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done';
  const second =
    'git merge --quiet --no-edit "$FURROW_BASE" || { git checkout --quiet --ours src/list.txt; git add -A src; git commit --quiet --no-edit; }; exit 0';
  await using repo = await shellRepo(
    { 1: `[ "$FURROW_ATTEMPT" = 1 ] || { ${second}; }; ${wait}; echo agent > src/list.txt; git commit --quiet -am 1` },
    `${SHELL}protect: ["infra/**"]\nattempts: 2\n`,
    { 'infra/a': 'a\n' },
  );
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(progress(running)).toBe(1);
  await repo.write('infra/a', 'b\n');
  await repo.write('src/list.txt', 'user\n');
  await repo.git('commit', '--quiet', '--all', '--message', 'by the user');
  await repo.write('../home/go', '');
  await expect.poll(() => states(running)).toEqual(['landed']);
});

it('why answers for an entry that was submitted without a task', async () => {
  await using repo = await scriptedRepo('', { 'check.sh': 'while [ ! -e ../../../gate ]; do sleep 0.05; done\n' });
  await repo.git('switch', '--quiet', '--create', 'mine');
  await repo.write('src/x.txt', 'x\n');
  await repo.git('add', 'src');
  await repo.git('commit', '--quiet', '--message', 'x');
  await repo.git('switch', '--quiet', 'main');
  await using running = farm(repo);
  const { task } = await running.ask('submit', 'mine');
  const why = await running.furrow('why', task);
  expect(why, why.stderr).toMatchObject({ code: 0 });
});

it('an index that agents of two phases have is refused, and none of them is stopped', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, status: 'archived' }], 'a');
  await writeBoard(repo, [{ id: 1, status: 'archived' }], 'b');
  await using running = farm(repo);
  for (const phase of ['a', 'b']) await running.furrow('work', phase, '--parallel', '1', '--until', 'forever', '--detach');
  const stop = await running.furrow('stop', '1');
  expect(stop.code).toBe(1);
  expect((await running.ask('status')).agents.map((one: { state: string }) => one.state)).toEqual(['idle', 'idle']);
});

it('work ends with 1 when every agent of it was stopped by name, since no task can move on', async () => {
  await using repo = await shellRepo({ 1: `furrow progress x; sleep 60; ${commits('1')}` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(progress(running)).toBe(1);
  await running.furrow('stop', '1');
  await expect.poll(async () => (await running.ask('status')).farm.state).toBe('stopped');
});

it('a branch that was submitted without a task is queued again when the user commits before it is published', async () => {
  await using repo = await scriptedRepo();
  await branch(repo, 'feat', 'src/list.txt', 'list\nnobody\nfeat\n');
  await repo.write('src/list.txt', 'mine\n');
  await using running = farm(repo);
  expect(await running.furrow('submit', 'feat')).toMatchObject({ code: 0 });
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'landing.landed')).toBe(true);
  await repo.write('user.txt', 'mine\n');
  await repo.git('add', 'user.txt');
  await repo.git('commit', '--quiet', '--message', 'by the user');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'entry.requeued')).toBe(true);
  await repo.git('checkout', '--quiet', '--', 'src/list.txt');
  await expect.poll(() => onMain(repo, 'src/list.txt')).toBe('list\nnobody\nfeat\n');
  expect(await onMain(repo, 'user.txt')).toBe('mine\n');
});

it('a branch submitted for a task that an agent has is refused, and takes nothing from the next attempt', async () => {
  const first = 'furrow progress here; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; exit 3';
  await using repo = await shellRepo({ 1: `[ "$FURROW_ATTEMPT" != 1 ] || { ${first}; }; ${commits('1')}` });
  await branch(repo, 'mine', 'src/mine.txt', 'mine\n');
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(progress(running)).toBe(1);
  const refused = await running.furrow('submit', 'mine', '--task', '1');
  expect(refused, refused.stderr).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is at work on 1, so its branch cannot be submitted yet'),
  });
  await repo.write('../home/go', '');
  await expect.poll(() => states(running)).toEqual(['landed']);
  const ends = (await running.events()).filter((event) => event.kind === 'attempt.ended').map((event) => event.data['outcome']);
  expect(ends).toEqual(['failed', 'submitted']);
});

it('a branch that shares no history with the target is refused with that reason, and nobody waits for it', async () => {
  await using repo = await scriptedRepo();
  await repo.git('branch', 'alien', await repo.git('commit-tree', '-m', 'from elsewhere', 'HEAD^{tree}'));
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  for (const words of [[], ['--task', '1']]) {
    const submit = await running.furrow('submit', 'alien', '--wait', ...words);
    expect(submit, submit.stderr).toMatchObject({ code: 1, stdout: expect.stringContaining('shares no history with main') });
  }
  // The task is free again, and is done anew from the target.
  const work = await running.furrow('work', '--parallel', '1');
  expect(work, work.stdout + work.stderr).toMatchObject({ code: 0 });
  expect(await onMain(repo, 'src/1.txt')).toBe('1\n');
});

it('an entry that is taken out while its check runs never lands', async () => {
  await using repo = await scriptedRepo('', GATED);
  await branch(repo, 'out', 'src/out.txt', 'out\n');
  await branch(repo, 'stays', 'src/stays.txt', 'stays\n');
  await using running = farm(repo);
  const { task } = await running.ask('submit', 'out');
  await expect.poll(async () => (await running.ask('queue')).entries[0]?.state).toBe('checking');
  expect(await running.furrow('queue', 'eject', task)).toMatchObject({ code: 0 });
  await repo.write('../gate', '');
  expect(await running.furrow('submit', 'stays', '--wait')).toMatchObject({ code: 0 });
  await expect.poll(() => onMain(repo, 'src/stays.txt')).toBe('stays\n');
  expect(await onMain(repo, 'src/out.txt')).toBe('');
});

it('a person who takes an entry that cannot be merged out of the queue, as they are told to, is asked no more about it', async () => {
  await using repo = await scriptedRepo();
  await branch(repo, 'lost', 'src/lost.txt', 'lost\n');
  const tree = await repo.git('rev-parse', 'lost:src');
  await using running = farm(repo);
  await running.ask('queue', 'pause');
  await running.ask('submit', 'lost');
  await rm(join(repo.root, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  await running.ask('queue', 'resume');
  const asked = async () => (await running.ask('status')).attention.map(({ kind }: { kind: string }) => kind);
  await expect.poll(asked).toEqual(['merge']);
  const [{ reason }] = (await running.ask('status')).attention;
  const [advice] = /furrow queue eject \S+/.exec(reason) ?? [];
  expect(await running.furrow(...advice!.split(' ').slice(1))).toMatchObject({ code: 0 });
  await expect.poll(asked).toEqual([]);
});

it('an entry that is landing is not taken out any more: eject says so', async () => {
  await using repo = await scriptedRepo();
  await branch(repo, 'late', 'src/late.txt', 'late\n');
  await using running = farm(repo);
  await using _opened = opens(repo);
  const gate = join(repo.base, 'gate');
  await furrowIn(repo, { env: { FURROW_FAULT: `landing.land.before:1:hold=${gate}` } }, 'list');
  const { task } = await running.ask('submit', 'late');
  await expect.poll(() => isLanding(repo)).toBe(true);
  const eject = await running.furrow('queue', 'eject', task);
  expect(eject).toMatchObject({ code: 75, stderr: expect.stringContaining('is landing just now') });
  await repo.write('../gate', '');
  await expect.poll(() => onMain(repo, 'src/late.txt')).toBe('late\n');
});

it('a git of the user that meets a publication waits for it: a commit in between would undo the landing', async () => {
  await using repo = await scriptedRepo();
  await branch(repo, 'feat', 'src/feat.txt', 'feat\n');
  await using running = farm(repo);
  await using _opened = opens(repo);
  const gate = join(repo.base, 'gate');
  await furrowIn(repo, { env: { FURROW_FAULT: `publish.moved:1:hold=${gate}` } }, 'list');
  await running.ask('submit', 'feat');
  await expect.poll(() => onMain(repo, 'src/feat.txt')).toBe('feat\n');
  expect(existsSync(join(repo.root, '.git/index.lock')), 'the branch has moved, the files have not').toBe(true);
  await repo.write('user.txt', 'mine\n');
  const added = repo.git('add', 'user.txt');
  await repo.write('../gate', '');
  await added;
  await repo.git('commit', '--quiet', '--message', 'by the user');
  expect(await repo.git('show', '--format=', '--name-only', 'main')).toBe('user.txt');
  expect(await repo.git('status', '--porcelain', '--untracked-files=no')).toBe('');
});
