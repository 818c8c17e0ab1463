import { expect, it } from 'vitest';
import { windows } from './windows.ts';

it('a budget stops at the end of a turn and asks, holds up nobody else, and an answer raises it', async () => {
  const config = { budget: { task_usd: '0.50', run_usd: '1.20' } };
  const tasks = [
    { id: 1, priority: 'high', script: ['usage 100 10 0.60', 'turn', 'write 1.txt 1', 'commit 1'] },
    { id: 2, script: ['usage 10 1', 'write 2.txt 2', 'commit 2'] },
  ];
  await using it = await windows(() => tasks, { config });
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  const own = await it.question('budget');
  expect(own).toMatchObject({ subject: '1', reason: expect.stringContaining('this task has cost $0.60 of $0.50') });
  await expect.poll(() => it.main('2.txt')).toBe('2');
  const why = async () => (await it.farm.ask('why', '1')).reasons;
  await expect.poll(why).toContainEqual(expect.objectContaining({ code: 'budget' }));
  await it.farm.furrow('answer', own.id, '5');
  const run = await it.question('budget', /this work/);
  expect(run).toMatchObject({ subject: 'farm', reason: expect.stringContaining('this work has cost $1.20 of $1.20') });
  expect(await it.main('1.txt')).toBeUndefined();
  // Whoever joins the run does not begin another, with money of its own.
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  expect((await it.farm.ask('status')).cost).toEqual({ usd: 1.2, tokens: 231 });
  await it.farm.furrow('answer', run.id, 'yes');
  await expect.poll(() => it.main('1.txt')).toBe('1');

  const cost = await it.farm.ask('cost');
  const one = { usd: 0.6, tokens: 110, input: 100, output: 10, partial: false };
  const [first, second] = [
    cost.tasks.find(({ id }: { id: string }) => id === '1'),
    cost.tasks.find(({ id }: { id: string }) => id === '2'),
  ];
  expect(first).toMatchObject({ landed: true, usd: 1.8, tokens: 330, attempts: [1, 2, 3].map((n) => ({ n, ...one })) });
  // Nobody said what it cost: that is not the same as nothing.
  expect(second).toMatchObject({ landed: true, usd: 0, tokens: 11, partial: true });
  expect(cost.agents).toMatchObject([{ kind: 'act', usd: 1.8, tokens: 341 }]);
  expect((await it.farm.ask('status')).cost).toEqual({ usd: 1.8, tokens: 341 });
});

it('a no to more money is not asked again by itself: the work ends, says why, and new work asks anew', async () => {
  const tasks = [
    { id: 1, script: ['usage 100 10 0.60', 'turn', 'write 1.txt 1', 'commit 1'] },
    { id: 2, script: ['write 2.txt 2', 'commit 2'] },
  ];
  await using it = await windows(() => tasks, { config: { budget: { task_usd: '0.50' } } });
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  const asked = await it.question('budget');
  await expect.poll(() => it.main('2.txt')).toBe('2');
  await it.farm.furrow('answer', asked.id, 'no');
  await expect.poll(async () => (await it.farm.ask('status')).farm.state).toBe('stopped');
  expect((await it.farm.ask('status')).attention).toEqual([]);
  const { reasons } = await it.farm.ask('why', '1');
  expect(reasons).toContainEqual(
    expect.objectContaining({ code: 'budget', text: expect.stringContaining('and you said no to more; furrow work asks again') }),
  );
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  const again = await it.question('budget');
  expect(again.id).not.toBe(asked.id);
  await it.farm.furrow('answer', again.id, '5');
  await expect.poll(() => it.main('1.txt')).toBe('1');
});

it('a budget stops an agent in the middle of its turn, and asks', async () => {
  const use = 'usage 100 10 0.30';
  await using it = await windows((gate) => [{ id: 1, script: [use, use, gate('never'), use] }], {
    config: { budget: { task_usd: '0.50' } },
  });
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  const asked = await it.question('budget');
  expect(asked.reason).toContain('this task has cost $0.60 of $0.50');
  await expect.poll(async () => (await it.farm.ask('list'))[0].state).not.toBe('leased');
  const events = await it.farm.events('--task', '1');
  expect(events.map(({ text }) => text).join('\n')).toMatch(/is stopped in its turn: this task has cost \$0\.60 of \$0\.50/);
  expect((await it.farm.ask('cost')).tasks[0]).toMatchObject({ usd: 0.6 });
});
