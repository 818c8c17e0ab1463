import { expect, it } from 'vitest';
import { farmAt, furrow, repository } from './stub.ts';

const PARKED = [
  { phase: 'default', id: '3' },
  { phase: 'default', id: '7' },
];

/** A farm that gives a new attempt to every task but 5. */
const farm = (root: string, parked = PARKED) =>
  farmAt(root, ({ id, call, args }, reply) => {
    const task = String((args as { task?: unknown }).task).replace('default/', '');
    if (call === 'list') reply({ id, result: { tasks: parked, quarantined: [], problems: [] } });
    else if (task === '5') reply({ id, error: { code: 'NOT_PARKED', message: '5 is working', hint: 'furrow why 5' } });
    else reply({ id, result: { id: task } });
  });

it.each([
  [['3'], 0, '3 gets a new attempt\n', ''],
  [['3', '4'], 0, '3 gets a new attempt\n4 gets a new attempt\n', ''],
  [['--all'], 0, '3 gets a new attempt\n7 gets a new attempt\n', ''],
  [['3', '5', '6'], 1, '3 gets a new attempt\n', '5 is working'],
  [['3', '--json'], 0, '{"id":"3"}', ''],
  [['3', '4', '--json'], 0, '{"ids":["3","4"]}', ''],
  [[], 2, '', 'furrow retry TASK…, or furrow retry --all'],
  [['3', '--all'], 2, '', 'furrow retry --all'],
])('furrow retry %j', async (words, code, stdout, stderr) => {
  await using repo = await repository();
  await using _farm = await farm(repo.root);
  const ended = await furrow(['retry', ...words], { cwd: repo.root });
  expect(ended).toMatchObject({ code, stderr: expect.stringContaining(stderr) });
  expect(words.includes('--json') ? JSON.stringify(JSON.parse(ended.stdout)) : ended.stdout).toBe(stdout);
});

it('furrow retry --all says that no task is parked', async () => {
  await using repo = await repository();
  await using _farm = await farm(repo.root, []);
  expect(await furrow(['retry', '--all'], { cwd: repo.root })).toMatchObject({ code: 0, stdout: 'no task is parked\n' });
});
