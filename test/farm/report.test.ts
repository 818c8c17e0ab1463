import { expect, it } from 'vitest';
import type { Out } from '../../src/api/contract.ts';
import { killDaemon } from '../support/farm.ts';
import { windows } from './windows.ts';

type Report = Out<'report'>;

it('a report tells the same numbers as list, queue, cost and status, names no path of this machine, and is the same after a kill', async () => {
  const tasks = [
    { id: 1, title: 'Clean <b>work</b>', script: ['usage 100 10 0.60', 'permission Bash npm publish', 'write src/1.txt 1', 'commit 1'] },
    {
      id: 2,
      title: 'Red at first',
      script: ['attempt 1:', 'usage 10 1', 'write src/2.txt bad', 'commit 2', 'attempt 2:', 'write src/2.txt good', 'commit 2 again'],
    },
    { id: 3, title: 'After both', depends_on: [1, 2], script: ['write src/3.txt 3', 'commit 3'] },
    { id: 4, title: 'Never done', status: 'backlog', more: { blocked: true, block_reason: 'not in /home/nobody/plans/today' } },
  ];
  await using it = await windows(() => tasks, {
    config: { check: 'sh check.sh' },
    files: { 'check.sh': 'if grep -rqs bad src; then exit 1; fi\n' },
  });
  await it.farm.furrow('work', '--parallel', '2', '--detach');
  const asked = await it.question('permission');
  await it.farm.furrow('answer', asked.id, 'allow');
  await expect.poll(() => it.main('src/3.txt')).toBe('3');
  await expect.poll(async () => (await it.farm.ask('status')).farm.state).toBe('stopped');
  await killDaemon(it.farm);

  const report = (await it.farm.ask('report')) as Report;
  const list = (await it.farm.ask('list')) as Out<'list'>['tasks'];
  const queue = (await it.farm.ask('queue')) as Out<'queue'>;
  const cost = (await it.farm.ask('cost')) as Out<'cost'>;
  const status = (await it.farm.ask('status')) as Out<'status'>;
  expect(report.tasks).toEqual(status.tasks);
  const landed = list.filter(({ state }) => state === 'landed');
  expect(report.landed.map(({ task, commit }) => [task, commit]).sort()).toEqual(landed.map(({ id, commit }) => [id, commit]).sort());
  expect(report.left).toMatchObject([{ task: '4', state: 'blocked', reason: expect.stringContaining('not in …/today') }]);
  expect(report.landings).toBe(queue.landings.length);
  expect(report.rejected.map(({ task }) => task)).toEqual(
    queue.entries.filter(({ state }) => state === 'rejected').map(({ task }) => task),
  );
  expect(report.rejected).toHaveLength(1);
  const { tasks: byTask, ...total } = report.cost;
  expect(total).toEqual(cost.run);
  expect(byTask).toEqual(cost.tasks.map(({ attempts: _, ...one }) => one));
  expect(report.agents.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(status.cost.tokens);
  expect(report.attempts).toMatchObject({ total: 4, outcomes: { submitted: 4 } });
  expect(report.questions).toMatchObject({ asked: 1, answered: 1, open: 0, list: [{ kind: 'permission', subject: '1', answered: true }] });
  const [{ checks: ledger }] = [(await it.farm.ask('queue', '--flakes')) as Out<'flakes'>];
  expect(report.checks).toMatchObject(ledger.map(({ name, runs, passes, fails, flakes }) => ({ name, runs, passes, fails, flakes })));
  expect(report.landed.find(({ task }) => task === '3')!.lead_ms).toBeGreaterThan(0);
  expect(report.waiting.dependencies.count).toBe(1);

  const page = (await it.farm.furrow('report', '--html')).stdout;
  expect(page).toContain('3 tasks landed, 1 left');
  expect(page).toContain('Clean &lt;b&gt;work&lt;/b&gt;');
  for (const secret of [it.repo.base, it.repo.root, 'worktrees/']) expect(page + JSON.stringify(report)).not.toContain(secret);
  expect((await it.farm.furrow('report')).stdout).toContain('3 tasks landed');
  expect((await it.farm.ask('report', '--since', '1s')).landed).toEqual([]);
  expect(await it.farm.furrow('report', '--since', 'soon')).toMatchObject({ code: 2, stderr: expect.stringContaining('--since takes') });
});
