import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { begin, farm, type TestFarm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

const CONFIG = `agent: hand
parallel: 2
check: 'true'
agents:
  hand: { driver: command, run: "cat \\"$FURROW_PROMPT_FILE\\" > \\"made-$FURROW_TASK.txt\\"", commit: auto }
  planner: { driver: command, run: "sh split.sh" }
`;

const proposal = (...tasks: object[]) => JSON.stringify({ tasks });
const PARTS = proposal(
  { key: 'read', title: 'Read dates', body: 'all of them', paths: ['read/**'] },
  { key: 'print', title: 'Print dates', depends_on: ['read'], priority: 'high' },
);
const answering = (...answers: string[]) =>
  answers
    .map((text, n) => `[ "$FURROW_ATTEMPT" = ${n + 1} ] && furrow done --result '${text}'`)
    .join('\n')
    .concat('\nexit 0\n');

const repoWith = (script: string) => gitRepo({ 'furrow.yaml': CONFIG, 'split.sh': script });
const tasks = async (running: TestFarm) =>
  Object.fromEntries(
    (await running.ask('list')).map((one: { id: string; title: string; state: string; depends_on: string[] }) => [
      one.title,
      { id: one.id, state: one.state, waits: one.depends_on },
    ]),
  );

it('splits a task: nobody begins with it meanwhile, its parts land first, and it is done after them', async () => {
  await using repo = await repoWith(answering(PARTS));
  await writeBoard(repo, [
    { id: 1, title: 'Dates' },
    { id: 2, title: 'Release', depends_on: [1] },
  ]);
  await repo.commit('board');
  await using running = farm(repo);
  const shown = await running.furrow('split', '1', '--agent', 'planner');
  expect(shown).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^read {2}Read dates {2}\(read\/\*\*\)\n└─ print {2}Print dates {2}\(high\)\nquestion (\d+): furrow answer \1 yes/,
    ),
  });
  expect(await tasks(running)).toMatchObject({ Dates: { state: 'blocked' }, Release: { state: 'waiting' } });
  const [question] = (await running.ask('status')).attention;
  expect(question).toMatchObject({ kind: 'split', subject: 'split-1-1' });
  // As if the daemon had been killed between the two files: the one that is there is not put there twice.
  await running.furrow('add', 'Read dates', '--tags', 'split-1-1');
  expect((await running.furrow('answer', question.id, 'maybe')).code).toBe(1);
  expect((await running.furrow('answer', question.id, 'yes')).code).toBe(0);
  expect(await tasks(running)).toEqual({
    Dates: { id: '1', state: 'waiting', waits: ['4'] },
    Release: { id: '2', state: 'waiting', waits: ['1'] },
    'Read dates': { id: '3', state: 'ready', waits: [] },
    'Print dates': { id: '4', state: 'waiting', waits: ['3'] },
  });
  expect((await running.furrow('work')).code).toBe(0);
  const landed = (await running.ask('queue')).landings.flatMap((one: { tasks: string[] }) => one.tasks);
  expect(landed).toEqual(['3', '4', '1', '2']);
});

it('tells the agent once what is wrong with its answer, then the person', async () => {
  const wrong = proposal({ key: 'a', title: 'A', check: 'true' });
  await using repo = await repoWith(answering(wrong, PARTS));
  await repo.commit('all');
  await using running = farm(repo);
  const done = await running.furrow('split', '--goal', 'dates are read and printed', '--agent', 'planner', '--yes', '--json');
  expect(done.json()).toMatchObject({ id: 'split-1', state: 'answered', board: { read: '1', print: '2' } });
  expect(await tasks(running)).toMatchObject({ 'Print dates': { state: 'waiting', waits: ['1'] } });
  expect((await running.furrow('log')).stdout).toMatch(/split-1 goes back: tasks\[0\]: check cannot be set here/);

  await repo.write('split.sh', answering(wrong, wrong));
  await repo.commit('worse');
  const failed = await running.furrow('split', '1', '--agent', 'planner');
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/there is no proposal: tasks\[0\]: check cannot be set here/) });
  const [question] = (await running.ask('status')).attention;
  expect((await running.furrow('answer', question.id, 'yes')).code).toBe(1);
  expect((await running.furrow('answer', question.id, 'no')).code).toBe(0);
  expect(await tasks(running)).toMatchObject({ 'Read dates': { state: 'ready' } });
});

it('a task that is being split is taken by no agent, also when a person unblocks it', async () => {
  const wait = 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done\n';
  await using repo = await repoWith(`${wait}furrow done --result '${PARTS}'\nexit 0\n`);
  await writeBoard(repo, [{ id: 1, title: 'Dates' }]);
  await repo.commit('board');
  await using running = farm(repo);
  const split = begin(repo, 'split', '1', '--agent', 'planner');
  const why = async () => (await running.ask('why', '1')).reasons.map((one: { text: string }) => one.text).join();
  await expect.poll(why).toContain('is being split: split-1-1');
  await running.furrow('unblock', '1');
  await writeBoard(repo, [{ id: 2, title: 'Another' }]);
  // It ends although a task is left, for which nobody but the person can do anything.
  expect((await running.furrow('work', '--parallel', '1', '--no-preflight')).code).toBe(1);
  expect((await tasks(running))['Another']).toMatchObject({ state: 'landed' });
  expect((await tasks(running))['Dates']).toMatchObject({ state: 'ready' });
  expect(await why()).toContain('is being split: split-1-1');
  await repo.write('../home/go', '');
  expect(await split.ended).toMatchObject({ code: 0 });
  const [question] = (await running.ask('status')).attention;
  expect((await running.furrow('answer', question.id, 'no')).code).toBe(0);
  expect((await running.furrow('work', '--parallel', '1', '--no-preflight')).code).toBe(0);
});
