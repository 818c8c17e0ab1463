import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Out } from '../../src/api/contract.ts';
import { writeBoard } from '../support/board.ts';
import { farm, furrowIn, killDaemon, type TestFarm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

const write = (id: number, script: readonly string[] = []) => [`write ${id}.txt ${id}`, ...script, `commit ${id}`];

const tasks = [
  { id: 1, more: { land: 'approve' }, script: ['attempt 1:', ...write(1), 'attempt 2:', 'append 1.txt hello', 'commit hello'] },
  { id: 2, script: write(2) },
  { id: 3, script: write(3, ['write package.json {}']) },
  { id: 4, depends_on: [1], script: write(4) },
];

const entryOf = async (running: TestFarm, task: string): Promise<Out<'queue'>['entries'][number]> =>
  (await running.ask('queue')).entries.findLast((one: { task: string }) => one.task === task);
const states = async (running: TestFarm) => (await running.ask('list')).map((task: { state: string }) => task.state);
const approvals = async (running: TestFarm) =>
  (await running.ask('status')).attention.filter((one: { kind: string }) => one.kind === 'approval');

it('work that needs a yes is checked, waits while others land, survives kill -9, goes back with a no and lands with a yes', async () => {
  await using repo = await gitRepo({
    'furrow.yaml': stringify({
      agent: 'script',
      agents: { script: { driver: 'scripted' } },
      check: 'test -f README.md',
      approve: ['package.json'],
      parallel: 2,
    }),
    'README.md': 'x\n',
  });
  await writeBoard(repo, tasks);
  await repo.commit('board');
  await using running = farm(repo);

  // Nothing else is held up; what is left waits for a person, so the work ends and says what to type.
  const work = await running.furrow('work');
  expect(work).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('passed its checks; waits for your approval: furrow diff 1, then furrow approve 1'),
  });
  expect(await states(running)).toEqual(['submitted', 'landed', 'submitted', 'waiting']);
  const listed = (await running.ask('list')).map(({ reason }: { reason: string }) => reason);
  const yes = 'passed its checks and waits for your approval';
  expect(listed.slice(0, 3)).toEqual([yes, null, yes]);
  expect((await running.ask('show', '1')).reasons).toMatchObject([{ text: yes }]);
  const first = await entryOf(running, '1');
  expect(first).toMatchObject({ state: 'held', code: 'approval', approved: null });
  expect((await running.ask('why', '3')).reasons).toMatchObject([
    { code: 'approval', text: 'passed its checks; waits for your approval: furrow diff 3, then furrow approve 3' },
    { code: 'approval-rule', text: 'needs your approval because of approve: for package.json' },
  ]);
  expect((await approvals(running)).map((one: { subject: string }) => one.subject).sort()).toEqual(['1', '3']);
  expect((await running.furrow('status')).stdout).toContain('furrow reject 1 --reason TEXT');

  // The yes is a person's: not an agent's, and not for another commit than the one in the queue.
  const agent = { FURROW_AGENT: 'calm-otter', FURROW_TASK: '1', FURROW_PHASE: 'default', FURROW_ATTEMPT: '1' };
  expect(await furrowIn(repo, { env: agent }, 'approve', '1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no process of calm-otter makes it'),
  });
  expect((await running.furrow('approve', '1', '--commit', 'abcdef')).stderr).toContain(`is in the queue with ${first.sha.slice(0, 12)}`);

  await killDaemon(running);
  expect(await entryOf(running, '1')).toMatchObject({ state: 'held', sha: first.sha });
  expect((await approvals(running)).length).toBe(2);

  // A no: the next attempt is told the words, and needs a yes of its own.
  expect((await running.furrow('reject', '1', '--reason', 'say hello as well')).stdout).toContain('1 goes back');
  expect((await approvals(running)).map((one: { subject: string }) => one.subject)).toEqual(['3']);
  expect((await running.ask('plan', '--prompt', '1')).prompt).toContain('you did not let it land: say hello as well');
  await expect.poll(async () => (await running.ask('show', '1')).body).toContain('attempt 1: you did not let it land: say hello as well');
  expect(await running.ask('approve', '3')).toMatchObject({
    approved: [{ task: '3', needed: true, because: ['approve: for package.json'], paths: ['3.txt', 'package.json'] }],
  });
  expect((await running.furrow('work')).code).toBe(1);
  expect(await states(running)).toEqual(['submitted', 'landed', 'landed', 'waiting']);
  expect(await entryOf(running, '1')).toMatchObject({ state: 'held', attempt: 2, approved: null });

  expect((await running.furrow('approve', '--all')).stdout).toContain('1 is approved at');
  expect((await running.furrow('work')).code).toBe(0);
  expect(await states(running)).toEqual(['landed', 'landed', 'landed', 'landed']);
  expect(await approvals(running)).toEqual([]);
  const kinds = (await running.events('--task', '1')).map((event) => event.kind);
  expect(kinds.filter((kind) => kind === 'entry.approved')).toEqual(['entry.approved']);
});
