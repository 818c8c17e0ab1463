import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { processesOf, slay } from '../support/processes.ts';
import { isWindowAgent } from '../support/window-agent.ts';
import { windows } from './windows.ts';

const closed = async (it: Awaited<ReturnType<typeof windows>>) =>
  (await it.farm.events()).filter(({ kind }) => kind === 'question.closed').map(({ task, text }) => [task, text]);

it('what is asked about a blocked task is asked no more once a person archives it, calls it done, takes it off the board or does it', async () => {
  const ids = [1, 2, 3, 4];
  await using it = await windows(() => ids.map((id) => ({ id, script: [`blocked needs key ${id}`] })));
  await it.farm.furrow('work', '--parallel', '2');
  const open = async () => (await it.farm.ask('status')).attention.map((one: { subject: string }) => one.subject).sort();
  expect(await open()).toEqual(['1', '2', '3', '4']);
  await it.farm.furrow('move', '1', 'archived');
  await it.farm.furrow('move', '2', 'done');
  await rm(join(it.repo.root, 'board/tasks/003-task.md'));
  // To move it where it would still be done is no answer.
  await it.farm.furrow('move', '4', 'backlog');
  await expect.poll(open).toEqual(['4']);
  await it.repo.git('branch', 'by-hand', await it.repo.git('commit-tree', '-p', 'main', '-m', 'by hand', 'main^{tree}'));
  expect((await it.farm.furrow('submit', 'by-hand', '--task', '4', '--wait')).code).toBe(0);
  expect(await open()).toEqual([]);
  expect(await closed(it)).toEqual([
    ['1', 'no longer needs you: archived on the board'],
    ['2', 'no longer needs you: done on the board'],
    ['3', 'no longer needs you: taken off the board'],
    ['4', 'no longer needs you: landed'],
  ]);
});

it('what a process waited for is asked no more when it is started anew, what its agent wants to know of a person is; both answers arrive', async () => {
  const script = ['ask Which database?', 'permission sh asked.sh', 'question Which colour? | red | green', 'write 1.txt 1', 'commit 1'];
  await using it = await windows(() => [{ id: 1, agent: 'observe', script }]);
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  const [ask, first] = [await it.question('ask'), await it.question('permission')];
  const kill = () => {
    const [agent, ...more] = processesOf(it.repo.base).filter(({ command }) => isWindowAgent(command));
    expect(more).toEqual([]);
    slay(agent!.pid);
  };
  kill();
  // The one that goes on comes to the same step, and asks for itself.
  const again = async (kind: string, old: { id: string }) => {
    const other = async () => (await it.question(kind)).id !== old.id;
    await expect.poll(other, { message: `another question of kind ${kind}` }).toBe(true);
    return it.question(kind);
  };
  const second = await again('permission', first);
  expect((await it.farm.ask('status')).attention).toMatchObject([{ id: second.id }, { id: ask.id }]);
  expect(await it.farm.furrow('answer', first.id, 'allow')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no open question'),
  });
  await it.farm.furrow('answer', second.id, 'allow');
  const colour = await it.question('question');
  kill();
  const other = await again('question', colour);
  await it.farm.furrow('answer', ask.id, 'SQLite, of course');
  await it.farm.furrow('answer', other.id, 'green');
  expect(await it.settled()).toBe(0);
  expect(await it.main('1.txt')).toBe('1');
  const told = await it.told();
  expect([told.split('SQLite, of course').length, told.split('answered: green').length]).toEqual([2, 2]);
  expect((await closed(it)).filter(([, text]) => text?.includes('its process was relaunched'))).toHaveLength(2);
  expect((await it.farm.ask('show', '1')).attempts).toMatchObject([{ n: 1, outcome: 'submitted' }]);
  expect((await it.farm.ask('status')).attention).toEqual([]);
});

it('"give up" to an agent that asks ends its attempt, keeps what it did and parks the task; the agent takes the next one', async () => {
  const asking = (gate: (name: string) => string) => [
    'write 1.txt 1',
    'commit 1',
    'write half.txt 2',
    'ask Which database?',
    gate('never'),
  ];
  await using it = await windows((gate) => [
    { id: 1, script: asking(gate) },
    { id: 2, script: ['write 2.txt 2', 'commit 2'] },
  ]);
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  const ask = await it.question('ask');
  await it.at('never');
  expect(await it.farm.furrow('answer', ask.id, 'give up: nobody pays for it')).toMatchObject({ code: 0 });
  expect(await it.settled()).toBe(1);
  expect(await it.farm.ask('list')).toMatchObject([{ state: 'parked' }, { state: 'landed' }]);
  const shown = await it.farm.ask('show', '1');
  expect(shown.attempts).toMatchObject([{ n: 1, outcome: 'stopped', reason: expect.stringMatching(/^given up by you: nobody pays/) }]);
  expect(JSON.stringify((await it.farm.ask('why', '1')).reasons)).toContain('given up by you: nobody pays');
  const pin = 'refs/furrow/pin/default/1/1';
  expect(await it.repo.git('ls-tree', '--name-only', pin)).toContain('1.txt');
  expect(await it.repo.git('show', `${pin}-uncommitted:half.txt`)).toBe('2');
  expect(await it.told()).not.toContain('nobody pays');
  expect((await it.farm.ask('status')).attention).toEqual([]);
  await it.open('never');
  await it.farm.furrow('retry', '1');
  expect((await it.farm.ask('list'))[0].state).not.toBe('parked');
});
