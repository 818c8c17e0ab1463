import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon, type TestFarm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

/** By the task: no change needed; or an end without any. */
const AGENT = `case $FURROW_TASK in
  1) echo 'it is there already'; exit 76 ;;
esac
`;

const states = async (running: TestFarm) => (await running.ask('list')).map((task: { state: string }) => task.state);
const task = async (running: TestFarm, id: string) => (await running.ask('list')).find((one: { id: string }) => one.id === id);

it('needs no change, is given up, and is taken over by a person through kill -9 and given back with what they did', async () => {
  await using repo = await gitRepo({
    'furrow.yaml': stringify({
      agent: 'script',
      agents: { script: { driver: 'scripted' }, sh: { driver: 'command', run: 'sh agent.sh' } },
      check: 'true',
    }),
    'agent.sh': AGENT,
  });
  const gate = join(repo.base, 'gate');
  await writeBoard(repo, [
    { id: 1, agent: 'sh' },
    { id: 2, depends_on: [1], script: ['write 2.txt 2', 'commit 2'] },
    { id: 3, agent: 'sh' },
    { id: 4, agent: 'sh' },
    {
      id: 5,
      script: [
        'attempt 1:',
        'write 5.txt first',
        'commit 5',
        'dirty more.txt more',
        `wait ${gate}`,
        'attempt 2:',
        'append 5.txt last',
        'commit 6',
      ],
    },
  ]);
  await repo.commit('board');
  await using running = farm(repo);
  await running.furrow('work', '--detach');
  await expect.poll(() => existsSync(`${gate}.seen`)).toBe(true);
  await expect.poll(() => states(running)).toEqual(['landed', 'landed', 'blocked', 'blocked', 'leased']);

  // An outcome, not three failures; its dependent ran.
  expect(await task(running, '1')).toMatchObject({
    attempt: 1,
    status: 'done',
    commit: null,
    reason: 'needed no change: it is there already',
  });
  expect((await running.ask('why', '1')).reasons).toContainEqual(expect.objectContaining({ code: 'unchanged' }));
  const questions = (await running.ask('status')).attention as { id: string; subject: string; reason: string }[];
  const question = (subject: string) => questions.find((one) => one.subject === subject)!;
  expect(question('3').reason).toContain('Is no change needed?');
  await running.furrow('answer', question('3').id, 'no change: main has it');
  await running.furrow('answer', question('4').id, 'give up: not worth it');
  await expect.poll(() => states(running)).toEqual(['landed', 'landed', 'landed', 'parked', 'leased']);
  expect((await task(running, '4')).reason).toContain('given up by you: not worth it');

  // Nothing is taken from under an agent's hands; a person who takes the task gets all that the agent had.
  expect(await running.furrow('submit', '--task', '5')).toMatchObject({ code: 1, stderr: expect.stringContaining('furrow take 5') });
  const { worktree, branch } = await running.ask('take', '5');
  expect(await readFile(join(worktree, '5.txt'), 'utf8')).toBe('first\n');
  expect(await readFile(join(worktree, 'more.txt'), 'utf8')).toBe('more\n');
  await writeFile(join(worktree, 'mine.txt'), 'mine\n');
  await killDaemon(running);
  expect(await running.ask('take', '5')).toMatchObject({ worktree, branch });
  expect(await task(running, '5')).toMatchObject({ state: 'leased', attempt: 1, branch, taken_by: expect.any(String) });
  expect(existsSync(join(worktree, 'mine.txt'))).toBe(true);

  expect((await running.furrow('give', '5', '--note', 'mind the end')).stdout).toContain('starts with what you did');
  const work = await running.furrow('work');
  expect(work).toMatchObject({ code: 1, stdout: expect.stringContaining('4 of 5') });
  expect(await states(running)).toEqual(['landed', 'landed', 'landed', 'parked', 'landed']);
  expect(await repo.git('show', 'main:5.txt')).toBe('first\nlast');
  expect(await repo.git('ls-tree', '--name-only', 'main')).toContain('mine.txt\nmore.txt');
  // Partial work of a parked task can be handed in from the branch of its agent, which has nothing here.
  expect((await running.furrow('submit', '--task', '4')).stderr).toContain('has no commit that main lacks');
});
