import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import type { FarmEvent } from '../../src/api/contract.ts';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, shellRepo } from './shell.ts';

const read = (repo: TestRepo, path: string) => readFile(join(repo.root, path), 'utf8');

/** A farm that works until it is stopped, asked over its socket: a command a question would be most of the test's time. */
async function working(repo: TestRepo, ...phases: string[]) {
  const running = farm(repo);
  await running.ask('status');
  const client = await connect(repo.root, { start: false });
  for (const phase of phases.length > 0 ? phases : [undefined])
    await client.call('work', { parallel: 2, until: 'forever', ...(phase && { phase }) });
  const task = async (id: string) => (await client.call('list', {})).tasks.find((one) => one.id === id)!;
  const events = async () => {
    const all: FarmEvent[] = [];
    await client.stream('log', { since: 0 }, (event) => all.push(event));
    return all;
  };
  return {
    client,
    task,
    states: async () => Object.fromEntries((await client.call('list', {})).tasks.map(({ id, state }) => [id, state])),
    attention: async () => (await client.call('status', {})).attention,
    count: async (kind: string) => (await events()).filter((event) => event.kind === kind).length,
    atWork: () => expect.poll(async () => (await events()).some((event) => event.kind === 'agent.progress')).toBe(true),
    /** What has landed is on the branch and in the checkout: furrow does not hold git's index any more. */
    async published() {
      const queue = async () => (await client.call('status', {})).queue;
      await expect.poll(async () => (await queue()).head === (await queue()).published).toBe(true);
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await running[Symbol.asyncDispose]();
    },
  };
}

/** Every file says done, and the board is at rest. */
async function written(repo: TestRepo, files: readonly string[]): Promise<void> {
  for (const file of files) await expect.poll(() => read(repo, file)).toMatch(/^status: done$/m);
}

/** A wait for `gate` in the home folder, so that the test decides when an agent goes on. */
const waitFor = (gate: string) => `furrow progress here; while [ ! -e "$HOME/${gate}" ]; do sleep 0.05; done`;

it('a stash, an old branch and a commit without a board run no landed task again, and are one question that closes by itself', async () => {
  await using repo = await shellRepo({ 1: commits('1'), 2: commits('2'), 3: commits('3') });
  const bare = await repo.git('rev-parse', 'main');
  const files = await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3 }]);
  const before = await repo.commit('board');
  await using it = await working(repo);
  const landed = { 1: 'landed', 2: 'landed', 3: 'landed' };
  await expect.poll(() => it.states()).toEqual(landed);
  await written(repo, files);
  const calm = async () => {
    expect(await it.states()).toEqual(landed);
    expect(await it.count('attempt.started')).toBe(3);
  };

  await it.published();
  await repo.git('stash', 'push', '--quiet', '--', 'board');
  await calm();
  expect(await it.attention()).toMatchObject([
    { kind: 'reopen', reason: expect.stringMatching(/^3 landed tasks have files that say todo, first 1\b.*branch main.*furrow retry/s) },
  ]);
  await repo.git('stash', 'pop', '--quiet');
  await calm();
  expect(await it.attention()).toEqual([]);

  await repo.git('add', 'board');
  await repo.git('commit', '--quiet', '--message', 'done');
  await repo.git('switch', '--quiet', '--create', 'old', before);
  await calm();
  expect(await it.attention()).toMatchObject([{ kind: 'reopen', reason: expect.stringContaining('branch old') }]);
  expect(await repo.git('status', '--porcelain')).toBe('');

  await repo.git('switch', '--quiet', '--detach', bare);
  await calm();
  expect(await it.attention()).toEqual([]);
  expect((await it.task('1')).reason).toMatch(/its file is not on the board since/);
  expect((await it.client.call('why', { subject: '2' })).reasons.map((reason) => reason.code)).toEqual(['no-file', 'landed']);

  await repo.git('switch', '--quiet', 'main');
  await calm();
  expect(await it.attention()).toEqual([]);
  expect(await repo.git('status', '--porcelain')).toBe('');
});

it('a board that git clean removed and that is written anew runs nothing again but by furrow retry', async () => {
  await using repo = await shellRepo({ 1: commits('by-attempt-$FURROW_ATTEMPT'), 2: 'exit 3', 4: commits('4') });
  await repo.write('furrow.yaml', `${await read(repo, 'furrow.yaml')}attempts: 1\n`);
  await repo.commit('one attempt');
  const tasks = [{ id: 1 }, { id: 2 }, { id: 3, status: 'backlog', depends_on: [2] }];
  const files = await writeBoard(repo, tasks);
  await using it = await working(repo);
  await expect.poll(() => it.states()).toEqual({ 1: 'landed', 2: 'parked', 3: 'waiting' });
  await written(repo, [files[0]!]);
  await expect.poll(() => read(repo, files[1]!)).toContain('blocked: true');

  await repo.git('clean', '--quiet', '-fd', 'board');
  expect(await it.states()).toEqual({ 1: 'landed', 2: 'parked' });
  expect(await it.client.call('add', { title: 'another' })).toMatchObject({ id: '4' });
  await writeBoard(repo, tasks);
  await expect.poll(() => it.states()).toEqual({ 1: 'landed', 2: 'parked', 3: 'waiting', 4: 'landed' });
  // What was parked is asked anew once its file is back, before or after the other one's: by subject.
  expect((await it.attention()).toSorted((one, other) => one.subject.localeCompare(other.subject))).toMatchObject([
    {
      kind: 'reopen',
      subject: '1',
      reason: expect.stringMatching(/^1 landed as [0-9a-f]{8}.* file says todo.*furrow retry 1.*furrow move 1 done/),
    },
    { kind: 'parked', subject: '2' },
  ]);
  expect(await it.count('attempt.started')).toBe(3);

  await it.client.call('retry', { task: '1' });
  await expect.poll(() => it.task('1')).toMatchObject({ state: 'landed', attempt: 2 });
  await expect.poll(() => repo.git('ls-tree', '--name-only', 'main', 'src/')).toContain('src/by-attempt-2.txt');
  await expect.poll(() => read(repo, files[0]!)).toMatch(/^status: done$/m);
  expect(await it.attention()).toMatchObject([{ kind: 'parked', subject: '2' }]);
});

it('a file that a stash turned back while its attempt ran is not written into: the stash can be popped, and nothing is lost', async () => {
  await using repo = await shellRepo({ 1: `${waitFor('go')}; ${commits('1')}` });
  const [file] = await writeBoard(repo, [{ id: 1 }]);
  await repo.commit('board');
  await using it = await working(repo);
  await it.atWork();
  await expect.poll(() => read(repo, file!)).toMatch(/^status: in-progress$/m);
  await repo.git('stash', 'push', '--quiet', '--', 'board');
  expect(await it.states()).toEqual({ 1: 'leased' });
  await repo.write('../home/go', '');
  await expect.poll(() => it.states()).toEqual({ 1: 'landed' });
  expect(await it.attention()).toMatchObject([{ kind: 'reopen', subject: '1' }]);
  expect(await repo.git('status', '--porcelain', '--', 'board')).toBe('');
  await it.published();
  await repo.git('stash', 'pop', '--quiet');
  await written(repo, [file!]);
  expect(await read(repo, file!)).toContain('landed as');
  expect(await it.attention()).toEqual([]);
  expect(await it.count('attempt.started')).toBe(1);
});

it('a rebase that is half-way in the checkout is not disturbed: the board is written after it', async () => {
  await using repo = await shellRepo({ 1: commits('1') });
  const [file] = await writeBoard(repo, [{ id: 1 }]);
  await repo.commit('board');
  await repo.git('switch', '--quiet', '--create', 'mine');
  await repo.write('README.md', 'mine\n');
  await repo.commit('mine');
  await repo.git('switch', '--quiet', 'main');
  await repo.write('README.md', 'theirs\n');
  await repo.commit('theirs');
  await repo.git('switch', '--quiet', 'mine');
  await repo.tryGit('rebase', '--quiet', 'main');
  await using it = await working(repo);
  await expect.poll(() => it.states()).toEqual({ 1: 'landed' });
  expect(await repo.git('status', '--porcelain', '--', 'board')).toBe('');
  expect(await it.attention()).toEqual([]);
  await repo.write('README.md', 'both\n');
  await repo.git('add', 'README.md');
  await repo.git('-c', 'core.editor=true', 'rebase', '--continue');
  await written(repo, [file!]);
  expect(await it.count('attempt.started')).toBe(1);
});

it('a task moved to another phase while its attempt runs lands once, and moved again after it has landed it stays landed', async () => {
  await using repo = await shellRepo({ 1: `${waitFor('go')}; ${commits('1')}`, 2: commits('2') });
  const [file] = await writeBoard(repo, [{ id: 1 }], 'a');
  await writeBoard(repo, [{ id: 2 }], 'b');
  const move = async (from: string, to: string) => {
    await mkdir(dirname(join(repo.root, to)), { recursive: true });
    await rename(join(repo.root, from), join(repo.root, to));
  };
  await using it = await working(repo, 'a', 'b');
  await it.atWork();
  const moved = file!.replace('/a/', '/b/');
  await move(file!, moved);
  expect(await it.task('1')).toMatchObject({ phase: 'b', state: 'leased', attempt: 1 });
  await repo.write('../home/go', '');
  await expect.poll(() => it.states()).toEqual({ 1: 'landed', 2: 'landed' });
  await written(repo, [moved]);
  expect(await it.client.call('show', { task: 'b/1' })).toMatchObject({ id: '1', phase: 'b', state: 'landed' });
  await move(moved, file!);
  expect(await it.task('1')).toMatchObject({ phase: 'a', state: 'landed', attempt: 1 });
  await rm(join(repo.root, file!));
  expect(await it.states()).toEqual({ 1: 'landed', 2: 'landed' });
  await writeBoard(repo, [{ id: 1 }], 'c');
  expect(await it.task('1')).toMatchObject({ phase: 'c', state: 'landed', attempt: 1 });
  await it.published();
  expect(await repo.git('log', '--first-parent', '--format=%H', '--grep=^Furrow-Task: 1$', 'main')).toMatch(/^[0-9a-f]{40}$/);
  expect(await it.count('attempt.started')).toBe(2);
});
