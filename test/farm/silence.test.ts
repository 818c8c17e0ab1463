import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { placesOf } from '../../src/platform/places.ts';
import { killDaemon } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';
import { type Windows, windows } from './windows.ts';

/** The only kind from now on. */
const renamed = stringify({ agent: 'other', agents: { other: { driver: 'scripted', mode: 'window', permission: 'act' } }, check: 'true' });
const MISSING = 'asks for agent kind act, which furrow.yaml does not have';

/** Two tasks of a kind that is renamed while the first one is being worked on. */
async function whileItRuns(it: Windows): Promise<void> {
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  await it.at('run');
  await it.repo.write('furrow.yaml', renamed);
  await expect.poll(async () => (await it.farm.furrow('why', '2')).stdout).toContain(MISSING);
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

/** The store of a farm whose daemon is not running, or does not write just now. */
function store(repo: TestRepo): DatabaseSync {
  return new DatabaseSync(placesOf(repo.root).store, { timeout: 5000 });
}

it('one row that cannot be read does not keep the other agents from landing, nor stop --all from ending', async () => {
  await using it = await windows((gate) => [
    { id: 1, script: [gate('one'), 'write 1.txt 1', 'commit 1'] },
    { id: 2, script: [gate('two'), 'write 2.txt 2', 'commit 2'] },
  ]);
  await it.farm.furrow('work', '--parallel', '2', '--detach');
  await it.at('one');
  await it.at('two');
  const db = store(it.repo);
  db.exec(`update heard set signals = '{' where attempt = (select id from attempt where task = 'default/1')`);
  db.exec(`update attempt set said = '{', settings = '{' where task = 'default/1'`);
  db.close();
  await it.open('two');
  await expect.poll(() => it.main('2.txt')).toBe('2');
  expect((await it.farm.furrow('stop', '--all')).code).toBe(0);
});

it('what an agent used while no daemon was there is in furrow cost when its attempt has ended', async () => {
  await using it = await windows((gate) => [
    { id: 1, script: ['usage 100 10 0.60', gate('alone'), 'usage 50 5 0.40', 'write 1.txt 1', 'commit 1'] },
  ]);
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  await it.at('alone');
  await killDaemon(it.farm);
  await it.open('alone');
  await expect.poll(it.told).toContain('"on":"ended"');
  expect(await it.settled()).toBe(0);
  expect((await it.farm.ask('cost')).total).toMatchObject({ usd: 1, input: 150, output: 15 });
});

const HOUR = 3_600_000;

it('a time of day that jumps by 8 hours, or a night in suspend, ends no attempt; time awake does', async () => {
  await using it = await windows((gate) => [{ id: 1, script: [gate('long'), 'write 1.txt 1', 'commit 1'] }], {
    config: { agents: { act: { driver: 'scripted', mode: 'window', permission: 'act', timeout: '30m', stuck: '2h' } } },
  });
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  await it.at('long');
  const shift = async (scale: number, deadline: number) => {
    await killDaemon(it.farm);
    const db = store(it.repo);
    const clock = JSON.parse(String(db.prepare(`select value from meta where key = 'clock'`).get()?.['value'] ?? '{}')) as { base: number };
    db.prepare(`update meta set value = ? where key = 'clock'`).run(JSON.stringify({ ...clock, base: clock.base + scale }));
    db.prepare('update attempt set deadline = deadline + ?').run(deadline);
    db.close();
  };
  // The same distance to the deadline, and a time of day that is 8 hours further on.
  await shift(-8 * HOUR, -8 * HOUR);
  expect((await it.farm.ask('show', '1')).attempts).toMatchObject([{ outcome: null }]);
  expect((await it.agent('1')).state).toBe('working');
  // Half an hour awake, and no jump.
  await shift(HOUR / 2, 0);
  await expect.poll(async () => (await it.farm.ask('show', '1')).attempts).toMatchObject([{ outcome: 'timeout' }, {}]);
});
