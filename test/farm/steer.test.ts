import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { begin, farm, type TestFarm } from '../support/farm.ts';
import { commits, file, SHELL, scriptedRepo, shellRepo } from './shell.ts';

interface Line {
  readonly name: string;
  readonly index: number;
  readonly state: string;
  readonly task: string | null;
  readonly attempt: number | null;
}
const agents = async (running: TestFarm): Promise<Line[]> => (await running.ask('status')).agents;
const states = async (running: TestFarm): Promise<string[]> => (await running.ask('list')).map((task: { state: string }) => task.state);
const busy = async (running: TestFarm) => (await agents(running)).filter((agent) => agent.state === 'working').length;
const heard = async (running: TestFarm, kind: string) => (await running.events()).filter((event) => event.kind === kind).length;
const attention = async (running: TestFarm) =>
  (await running.ask('status')).attention as { id: string; kind: string; subject: string; reason: string }[];

it('a paused farm starts nothing and says so; resumed it goes on', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  expect(await running.furrow('pause')).toMatchObject({ code: 0 });
  await running.furrow('work', '--parallel', '1', '--detach');
  expect((await running.ask('status')).farm.state).toBe('paused');
  expect(JSON.stringify((await running.ask('why', '1')).reasons)).toContain('paused');
  expect(await states(running)).toEqual(['ready']);
  await running.furrow('resume');
  await expect.poll(() => states(running)).toEqual(['landed']);
});

it('one command pauses the farm or its queue, and one changes all of a task', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, status: 'backlog' }]);
  await using running = farm(repo);
  const paused = async () => (await running.ask('queue')).paused;
  expect(await running.furrow('pause', '--queue')).toMatchObject({ code: 0 });
  expect(await paused()).toBe(true);
  expect((await running.ask('status')).farm.state).not.toBe('paused');
  expect(await running.furrow('resume', '--queue')).toMatchObject({ code: 0 });
  expect(await paused()).toBe(false);
  expect(await running.furrow('pause', '1', '--queue')).toMatchObject({ code: 2 });

  const all = ['--note', 'later', '--block', 'no schema yet', '--status', 'todo', '--json'];
  expect((await running.furrow('edit', '1', ...all)).json()).toMatchObject({ id: '1', status: 'todo' });
  expect((await running.ask('list'))[0]).toMatchObject({ status: 'todo', state: 'blocked' });
  expect((await running.furrow('edit', '1', '--unblock')).stdout).toBe('1 is no longer blocked\n');
  expect(await states(running)).toEqual(['ready']);
  expect(await running.furrow('edit', '1', '--unblock', '--block', 'x')).toMatchObject({ code: 2 });
});

it('a paused agent gets no task while the others do, and gets one again when resumed', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, status: 'archived' }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2', '--until', 'forever', '--detach');
  const [first, second] = await agents(running);
  // A bare number is a task for what shows work, and never the agent of that number.
  for (const command of ['diff', 'path', 'logs'])
    expect(await running.furrow(command, '2')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('agent-2') });
  await running.furrow('pause', '1');
  await writeBoard(repo, [
    { id: 2, script: file(2) },
    { id: 3, script: file(3) },
  ]);
  await expect.poll(() => states(running)).toEqual(['archived', 'landed', 'landed']);
  const by = async () => new Set((await running.events()).filter((event) => event.kind === 'attempt.started').map((event) => event.agent));
  expect(await by()).toEqual(new Set([second!.name]));
  await running.furrow('resume', first!.name);
  await running.furrow('pause', second!.name);
  await writeBoard(repo, [{ id: 4, script: file(4) }]);
  await expect.poll(() => states(running)).toEqual(['archived', 'landed', 'landed', 'landed']);
  expect(await by()).toEqual(new Set([first!.name, second!.name]));
});

it('stopping agent 1 stops neither 10 nor any other, and work brings it back', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [
    { id: 1, script: ['attempt 1:', 'dirty src/half.txt half', 'progress half', 'hang', 'attempt 2:', ...file(1)] },
    { id: 2, script: ['progress here', 'hang'] },
  ]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2', '--detach');
  await expect.poll(() => heard(running, 'agent.progress')).toBe(2);
  await running.furrow('work', '--parallel', '10', '--detach');
  const before = await agents(running);
  const first = before.find((agent) => agent.index === 1)!;
  const idle = before.filter((agent) => agent.index > 2).map((agent) => agent.name);
  for (const name of idle) await running.furrow('pause', name);
  expect((await running.ask('stop', '1')).stopped).toEqual([first.name]);
  const after = await agents(running);
  expect(after.filter((agent) => agent.state === 'stopped').map((agent) => agent.name)).toEqual([first.name]);
  expect(after.find((agent) => agent.index === 2)).toEqual(before.find((agent) => agent.index === 2));
  if (first.task === '1') expect(await repo.git('show', 'refs/furrow/pin/default/1/1-uncommitted:src/half.txt')).toBe('half');
  await running.furrow('work', '--parallel', '10', '--detach');
  await expect.poll(async () => (await agents(running)).find((agent) => agent.index === 1)?.attempt).toBe(2);
});

it('stopped work is kept and continued by the next work', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: ['attempt 1:', 'write src/half.txt half', 'hang', 'attempt 2:', ...file(1)] }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(() => busy(running)).toBe(1);
  expect(await running.furrow('stop')).toMatchObject({ code: 0 });
  expect((await running.ask('status')).farm.state).toBe('stopped');
  expect(await states(running)).toEqual(['ready']);
  const work = await running.furrow('work', '--parallel', '1');
  expect(work, work.stderr).toMatchObject({ code: 0 });
  expect((await running.ask('list'))[0]).toMatchObject({ state: 'landed', attempt: 2 });
});

it('a task whose attempts are used up is parked with a question; retry and an answer both go on, and the answer is told', async () => {
  const third = '[ "$FURROW_ATTEMPT" = 3 ] || exit 7; cat "$FURROW_PROMPT_FILE" > "$HOME/prompt-$FURROW_TASK"';
  await using repo = await shellRepo({ 1: `${third}; ${commits('1')}`, 2: `${third}; ${commits('2')}` }, `${SHELL}attempts: 2\n`);
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '2')).toMatchObject({ code: 1 });
  const open = await attention(running);
  expect(open.map(({ kind, subject, reason }) => [kind, subject, reason])).toEqual(
    expect.arrayContaining([
      ['parked', '1', expect.stringContaining('2 attempts failed')],
      ['parked', '2', expect.stringContaining('exit 7')],
    ]),
  );
  expect(await states(running)).toEqual(['parked', 'parked']);
  await running.furrow('retry', '1', '--reason', 'keep the old name');
  await running.furrow('answer', open.find((one) => one.subject === '2')!.id, 'use the blue one');
  expect(await attention(running)).toEqual([]);
  expect(await running.furrow('work', '--parallel', '2')).toMatchObject({ code: 0 });
  expect(await readFile(join(repo.home, 'prompt-2'), 'utf8')).toContain('use the blue one');
  expect(await readFile(join(repo.home, 'prompt-1'), 'utf8')).toMatch(/exit 7[\s\S]*keep the old name/);
});

it('Ctrl-C stops the work gracefully: the command ends with 1 and says how to go on', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: ['write src/1.txt 1', 'commit 1', 'hang'] }]);
  await using running = farm(repo);
  const work = begin(repo, 'work', '--parallel', '1');
  await expect.poll(() => busy(running)).toBe(1);
  process.kill(work.pid, 'SIGINT');
  const ended = await work.ended;
  expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('stopped') });
  expect(ended.stdout).toContain('furrow work');
  expect((await running.ask('status')).farm.state).toBe('stopped');
});

it('work --until forever takes up a task that is added later, also after a plain work beside it, until --until empty; --detach returns at once', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  const work = await running.furrow('work', '--parallel', '1', '--until', 'forever', '--detach');
  expect(work).toMatchObject({ code: 0, stdout: expect.stringContaining('furrow status') });
  await expect.poll(() => states(running)).toEqual(['landed']);
  expect((await running.ask('status')).farm.state).toBe('running');
  const second = begin(repo, 'work');
  await second.said('an earlier furrow work --until forever is still in force');
  const { id } = await running.ask('add', 'Later', '--body', ['```script', ...file(2), '```'].join('\n'));
  await expect.poll(() => states(running)).toEqual(['landed', 'landed']);
  expect(id).toBe('2');
  await running.furrow('work', '--until', 'empty', '--detach');
  expect(await second.ended).toMatchObject({ code: 0 });
  expect((await running.ask('status')).farm.state).toBe('stopped');
});

it('names a cycle, a missing dependency and an unknown agent kind, does the rest, and ends with 1', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [
    { id: 1, depends_on: [2], script: file(1) },
    { id: 2, depends_on: [1], script: file(2) },
    { id: 3, depends_on: [99], script: file(3) },
    { id: 4, agent: 'codecs', script: file(4) },
    { id: 5, script: file(5) },
  ]);
  await using running = farm(repo);
  const work = await running.furrow('work', '--parallel', '2');
  expect(work.code).toBe(1);
  expect(work.stdout).toMatch(/1 → 2|2 → 1/);
  expect(work.stdout).toContain('waits for 99, which does not exist');
  expect(work.stdout).toContain('codecs');
  expect(await states(running)).toEqual(['waiting', 'waiting', 'waiting', 'ready', 'landed']);
  expect(await attention(running)).toMatchObject([{ kind: 'agent-kind', subject: 'codecs' }]);
});

it('works on two phases at once, each with agents of its own', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(
    repo,
    [
      { id: 1, script: ['work 300', ...file('a1')] },
      { id: 2, depends_on: ['b/2'], script: file('a2') },
    ],
    'a',
  );
  await writeBoard(
    repo,
    [
      { id: 1, script: ['work 300', ...file('b1')] },
      { id: 2, depends_on: [1], script: file('b2') },
    ],
    'b',
  );
  await using running = farm(repo);
  const both = await Promise.all([running.furrow('work', 'a', '--parallel', '1'), running.furrow('work', 'b', '--parallel', '1')]);
  expect(
    both.map((work) => work.code),
    both.map((work) => work.stdout + work.stderr).join('\n'),
  ).toEqual([0, 0]);
  expect(await states(running)).toEqual(['landed', 'landed', 'landed', 'landed']);
  const branches = await repo.git('for-each-ref', '--format=%(refname)', 'refs/heads/furrow/a', 'refs/heads/furrow/b');
  expect(branches.split('\n').length).toBeLessThanOrEqual(4);
});
