import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inQueue } from '../../src/tell/face/states.ts';
import { summaryLine, summaryOf, summaryParts } from '../../src/tell/face/summary.ts';
import { terminal } from '../faces/top/terminal.ts';
import { writeBoard } from '../support/board.ts';
import { launch, lookAt } from '../support/browser.ts';
import { farm } from '../support/farm.ts';
import { skipWithout } from '../support/needs.ts';
import { gitRepo } from '../support/repo.ts';

const CONFIG = 'agent: script\nagents: { script: { driver: scripted } }\ncheck: test -f README.md\nparallel: 2\n';

it('status, queue, digest, coordination folder, top, the page, metrics and the report show the same numbers', async (context) => {
  await using repo = await gitRepo({ 'furrow.yaml': CONFIG, 'README.md': 'x\n' });
  await writeBoard(repo, [
    { id: 1, script: ['write 1.txt x', 'commit 1'] },
    { id: 2, more: { land: 'approve' }, script: ['write 2.txt x', 'commit 2'] },
    { id: 3, depends_on: [2], script: ['write 3.txt x', 'commit 3'] },
  ]);
  await repo.commit('board');
  await using running = farm(repo);
  await running.furrow('work', '--detach', '--no-preflight', '--until', 'forever');
  const settled = async () => {
    const { tasks, attention, agents } = await running.ask('status');
    return [tasks.landed, attention.length, agents.every(({ state }: { state: string }) => state === 'idle')];
  };
  await expect.poll(settled).toEqual([1, 1, true]);
  const status = await running.ask('status');
  const summary = summaryOf({ status, agents: status.agents, attention: status.attention });
  const line = summaryLine(summary);
  expect(line).toBe('1/3 landed · 2 agents · 1 in queue · 1 needs you');

  const { entries, paused, head } = await running.ask('queue');
  const [{ task, reason }] = entries.filter(inQueue);
  expect({ task, paused, head }).toEqual({ task: '2', paused: false, head: status.queue.head });
  const folder = (path: string) => JSON.parse(readFileSync(join(repo.root, '.furrow/coordination', path), 'utf8'));
  await expect.poll(() => folder('merge_queue/ready-to-merge.json').entries).toMatchObject([{ task, reason }]);
  expect(folder('merge_queue/ready-to-merge.json')).toMatchObject({ head, paused });
  expect(folder('task_queue/pending.json').tasks).toMatchObject([{ id: '3', state: 'waiting' }]);
  expect(folder('registry.json')).toMatchObject({ farm: { state: 'running' }, agents: [{ state: 'idle' }, { state: 'idle' }] });
  const digest = (await running.furrow('digest')).stdout;
  expect(digest).toContain(`tasks: 1 waiting, 1 in queue, 1 landed; queue: 1 entry, head ${head.slice(0, 8)}`);
  expect(digest).toContain('1 thing needs a decision');
  expect((await running.furrow('status')).stdout).toContain(' 1/3  1 waiting, 1 in queue, 1 landed\nqueue  1 entry  main at');

  await using top = await terminal(repo, ['top'], { width: 180, height: 50 });
  await top.shows(line);
  await top.press('q');
  await top.shows('ended with 0');

  const metrics = (await running.furrow('metrics')).stdout;
  expect(metrics).toContain('furrow_tasks{state="landed"} 1\n');
  expect(metrics).toContain('furrow_queue_depth 1\n');
  expect(metrics).toContain('furrow_questions_open{level="landing"} 1\n');
  expect((await running.ask('report')).landed).toHaveLength(1);

  skipWithout('chromium', context);
  const browser = await launch();
  try {
    await using look = await lookAt(browser, running);
    const shown = look.page.getByRole('region', { name: 'Summary' });
    for (const { name, long } of summaryParts(summary).filter((part) => part.long !== ''))
      if (name !== 'attention') await expect.poll(() => shown.textContent()).toContain(long);
    expect(await look.page.getByRole('article').count()).toBe(1);
    expect(look.complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});

it('the status line of tmux has the numbers of status, and a farm that was stopped has a paused queue in no face', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': CONFIG, 'README.md': 'x\n' });
  await writeBoard(repo, [{ id: 1, script: ['write 1.txt x', 'commit 1'] }]);
  await repo.commit('board');
  await using running = farm(repo);
  await running.furrow('work', '--detach', '--no-preflight', '--until', 'forever');
  await using attached = await terminal(repo, ['attach'], { width: 180, height: 50 });
  await attached.shows('1/1 landed · 2 agents · queue empty · nothing needs you');
  await running.furrow('stop', '--all');
  const stopped = await running.ask('status');
  expect([stopped.farm.state, stopped.queue.paused, (await running.ask('queue')).paused]).toEqual(['stopped', false, false]);
});
