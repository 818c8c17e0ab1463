import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { shellRepo } from './shell.ts';

/** Writes down what it was told. */
const TOLD = 'echo "$FURROW_MODEL $FURROW_EFFORT" > src/$FURROW_AGENT.txt; git add -A src; git commit --quiet --message told';
const CONFIG = `agent: sh
agents:
  sh: { driver: command, run: ${JSON.stringify(TOLD)}, model: small, effort: low }
  scripted: { driver: scripted }
check: sh check.sh
`;

it('a task names the model and the effort of its agent; an agent that cannot be told is not started, and the task says why', async () => {
  await using repo = await shellRepo({}, CONFIG);
  await writeBoard(repo, [{ id: 1 }, { id: 2, agent: 'scripted', more: { model: 'large' } }]);
  await using running = farm(repo);
  expect((await running.furrow('add', 'third', '--model', 'large', '--effort', 'high', '--race', '2')).code).toBe(0);
  const refused = await running.furrow('edit', '2', '--agent', 'scripted', '--effort', 'high');
  expect(refused.stderr).toContain('agents of kind scripted (driver scripted) cannot be told an effort');
  expect((await running.furrow('edit', '1', '--model=-x')).stderr).toContain('--model must be one word');
  expect((await running.furrow('edit', '1', '--race', 'sh,nobody')).stderr).toContain('furrow.yaml has no agent kind nobody');
  expect((await running.furrow('edit', '1', '--effort', 'medium')).code).toBe(0);
  expect((await running.furrow('show', '1')).stdout).toMatch(/effort +medium/);

  expect((await running.furrow('work', '--parallel', '3')).code).toBe(1);
  const { reasons, attempts } = await running.ask('show', '2');
  expect(attempts).toEqual([]);
  expect(reasons[0].text).toContain('agents of kind scripted (driver scripted) cannot be told a model; furrow edit TASK --model ""');
  const told = await repo.git('grep', '-h', '-e', '', 'main', '--', 'src/*-*.txt');
  expect(told.split('\n').toSorted()).toEqual(['large high', 'small medium']);
});
