import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Windows, windows } from './windows.ts';

/** The only kind from now on. */
const renamed = stringify({ agent: 'other', agents: { other: { driver: 'scripted', mode: 'window', permission: 'act' } }, check: 'true' });
const MISSING = 'asks for agent kind act, which furrow.yaml does not have';

/** Two tasks of a kind that is renamed while the first one is being worked on. */
async function whileItRuns(it: Windows): Promise<void> {
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  await it.at('run');
  await it.repo.write('furrow.yaml', renamed);
  await expect.poll(async () => (await it.farm.furrow('why', '2')).stdout, { timeout: 10_000 }).toContain(MISSING);
}

const two = (gate: (name: string) => string) => [
  { id: 1, agent: 'act', script: [gate('run'), 'write 1.txt 1', 'commit 1'] },
  { id: 2, agent: 'act', script: ['write 2.txt 2', 'commit 2'] },
];

it('an attempt goes on with the settings it was started with; a task that asks for a kind that is gone says so, and the work ends', async () => {
  await using it = await windows(two);
  await whileItRuns(it);
  const { waiting } = await it.farm.ask('plan');
  expect(waiting).toMatchObject([{ id: '2', reasons: [{ code: 'no-kind', text: expect.stringContaining('furrow edit 2 --agent') }] }]);
  await it.open('run');
  const done = await it.farm.furrow('work');
  expect([done.code, done.stdout]).toEqual([1, expect.stringContaining(MISSING)]);
  expect(await it.main('1.txt')).toBe('1');
  expect(await it.question('agent-kind')).toMatchObject({
    subject: 'act',
    reason: expect.stringContaining('task 2 asks for agent kind act'),
  });
  expect((await it.farm.ask('status')).agents.filter((agent: { state: string }) => agent.state !== 'stopped')).toEqual([]);

  await it.farm.furrow('edit', '2', '--agent', 'other');
  expect(await it.settled()).toBe(0);
  expect((await it.farm.ask('status')).attention).toEqual([]);
});

it('stop --all ends although the kind of a running attempt is gone from furrow.yaml', async () => {
  await using it = await windows(two);
  await whileItRuns(it);
  const done = await it.farm.furrow('stop', '--all');
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('the farm is stopped')]);
});
