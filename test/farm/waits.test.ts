import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Out } from '../../src/api/contract.ts';
import { type TestTask, writeBoard } from '../support/board.ts';
import { begin, farm, type TestFarm } from '../support/farm.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';

const agents = { script: { driver: 'scripted' } };

/** A repository with a branch for each name, one file on it; `check` decides what may land. */
async function branches(check: string, names: readonly string[], tasks: readonly TestTask[] = []): Promise<TestRepo> {
  const repo = await gitRepo({ 'furrow.yaml': stringify({ agent: 'script', agents, check, queue: { retries: 0 } }), 'README.md': 'x\n' });
  await writeBoard(repo, tasks);
  await repo.commit('board');
  for (const name of names) {
    await repo.git('switch', '-q', '-c', name);
    await repo.write(`${name}.txt`, `${name}\n`);
    await repo.commit(name);
    await repo.git('switch', '-q', 'main');
  }
  return repo;
}

const attention = async (running: TestFarm) => (await running.ask('status')).attention as Out<'status'>['attention'];

it('submit --wait returns 75 on a paused queue with the sentence and the next command; waited for again, it lands', async () => {
  await using repo = await branches('true', ['a']);
  await using running = farm(repo);
  await running.furrow('queue', 'pause');
  const done = await running.furrow('submit', 'a', '--wait');
  expect(done).toMatchObject({ code: 75, stdout: expect.stringContaining('is still in the queue: the queue is paused') });
  expect(done.stderr).toContain('try: furrow queue resume, then: furrow submit a --wait');
  await running.furrow('queue', 'resume');
  // It may land before the command has begun, which then finds it on the target.
  expect(await running.furrow('submit', 'a', '--wait')).toMatchObject({ code: 0, stdout: expect.stringMatching(/landed as|already/) });
  expect(await repo.git('show', 'main:a.txt')).toBe(await repo.git('show', 'a:a.txt'));
});

it('submit --wait returns when the target has moved; 75 after 15 s in which the landing could not be published, with what is in the way', async () => {
  await using repo = await branches('true', ['a', 'b']);
  await repo.write('a.txt', 'mine\n');
  await repo.git('add', 'a.txt');
  await using _running = farm(repo);
  const start = performance.now();
  const first = begin(repo, 'submit', 'a', '--wait');
  await first.said('main has not followed yet: ');
  const { stdout, stderr, code } = await first.ended;
  expect(performance.now() - start).toBeGreaterThan(15_000);
  expect({ code, stdout }).toEqual({
    code: 75,
    stdout: expect.stringMatching(/^a has landed as \w+; main has not followed yet: .*a\.txt/),
  });
  expect(stderr).toContain('try: furrow queue, then: furrow submit a --wait');
  // The command that was named, and another branch behind it.
  const later = ['a', 'b'].map((name) => begin(repo, 'submit', name, '--wait'));
  for (const one of later) await one.said('main has not followed yet: ');
  await repo.git('rm', '--quiet', '--force', 'a.txt');
  expect((await Promise.all(later.map((one) => one.ended))).map((one) => one.code)).toEqual([0, 0]);
  expect(await repo.git('ls-tree', '--name-only', 'main', 'a.txt', 'b.txt')).toBe('a.txt\nb.txt');
});

it('submit --wait returns 75 when the queue is halted because main itself fails the check', async () => {
  await using repo = await branches('test -f ok.txt', ['a']);
  await using running = farm(repo);
  const done = await running.furrow('submit', 'a', '--wait');
  expect(done).toMatchObject({
    code: 75,
    stdout: expect.stringContaining('queue halted: main itself fails `check` (exit 1), before any task'),
  });
  expect((await attention(running)).map((one) => one.kind)).toEqual(['queue']);
});

it('submit --wait returns 1 when it waits for a task that was sent back and nobody works on; why, queue and attention say so', async () => {
  await using repo = await branches('! test -f a.txt || test -f 1.txt', ['a', 'b'], [{ id: 1, script: ['write 1.txt 1', 'commit 1'] }]);
  await using running = farm(repo);
  expect((await running.furrow('submit', 'a', '--task', '1', '--wait')).code).toBe(1);
  const done = await running.furrow('submit', 'b', '--after', '1', '--wait');
  const sentence = 'waits for 1, which was sent back, and nobody works on phase default';
  expect(done).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(sentence),
    stderr: expect.stringContaining('furrow work default'),
  });
  const { entries } = await running.ask('queue');
  const { task: b, reason } = entries.at(-1);
  expect(reason).toContain(sentence);
  expect((await running.ask('why', b)).reasons).toMatchObject([{ code: 'waits-for', text: expect.stringContaining(sentence) }]);
  expect(await attention(running)).toMatchObject([
    {
      kind: 'waits',
      subject: '1',
      reason: `${b} waits in the queue for 1, which was sent back, and nobody works on phase default: furrow work default`,
    },
  ]);
  // Somebody works on it: it is no longer a question, and lands.
  expect((await running.furrow('work')).code).toBe(0);
  await expect.poll(async () => (await running.ask('queue')).entries.at(-1).state).toBe('landed');
  expect(await attention(running)).toEqual([]);
});

it('furrow work ends with what is left and why when an entry waits for a parked task', async () => {
  const tasks = [{ id: 1 }, { id: 2 }, { id: 3, script: ['write 3.txt 3', 'commit 3'] }];
  await using repo = await branches('true', ['b'], tasks);
  await using running = farm(repo);
  await running.furrow('block', '1', '--reason', 'the API is not decided');
  await running.furrow('submit', 'b', '--task', '2', '--after', '1');
  const done = await running.furrow('work');
  expect(done).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/waits for 1, which is blocked: the API is not decided; furrow unblock 1/),
  });
  expect((await running.ask('list')).map((task: { state: string }) => task.state)).toEqual(['blocked', 'submitted', 'landed']);
});

it('a landing that fails again and again needs a person: in attention, in why, in submit --wait; and is settled when it works', async () => {
  await using repo = await branches('true', ['a'], []);
  await using running = farm(repo);
  await running.ask('status');
  await expect.poll(() => repo.tryGit('rev-parse', '--verify', 'refs/furrow/head/main').then((one) => one.code)).toBe(0);
  const lock = join(repo.root, '.git/refs/furrow/head/main.lock');
  await writeFile(lock, '');
  const waiting = begin(repo, 'submit', 'a', '--wait');
  await waiting.said('could not land a');
  const [item] = await attention(running);
  expect(item).toMatchObject({
    kind: 'act',
    reason: expect.stringMatching(/^could not land a, \d+ times in a row: .*; tried again at .*; see: furrow doctor$/),
  });
  expect((await running.ask('why', item!.subject)).reasons.map((one: { code: string }) => one.code)).toContain('failing');
  await rm(lock);
  expect((await waiting.ended).code).toBe(0);
  await expect.poll(() => attention(running)).toEqual([]);
});

it('furrow work says at once that the queue is paused, and which command lets it go on', async () => {
  await using repo = await branches('true', [], [{ id: 1, script: ['write 1.txt 1', 'commit 1'] }]);
  await using running = farm(repo);
  await running.furrow('queue', 'pause');
  const work = begin(repo, 'work');
  await work.said('the queue is paused: nothing lands before furrow queue resume');
  await running.furrow('queue', 'resume');
  expect((await work.ended).code).toBe(0);
});
