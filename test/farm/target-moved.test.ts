import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon, type TestFarm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

/** An agent that does its task, and with `move` in its text also lets the target follow at once. */
const AGENT = `echo "$FURROW_TASK" > "task-$FURROW_TASK.txt" && git add -A && git commit -qm "task $FURROW_TASK" || exit 1
grep -q move "$FURROW_PROMPT_FILE" && git update-ref refs/heads/main HEAD
exit 0
`;

const files = {
  'furrow.yaml': stringify({
    agent: 'script',
    agents: { script: { driver: 'command', run: 'sh agent.sh', commit: 'agent' } },
    check: 'true',
    parallel: 1,
    land: 'approve',
  }),
  'agent.sh': AGENT,
};

const moved = async (running: TestFarm) =>
  (await running.ask('status')).attention.filter((one: { kind: string }) => one.kind === 'target-moved');

it('a target that an agent moved is not followed until a person says keep, also after kill -9', async () => {
  await using repo = await gitRepo(files);
  await writeBoard(repo, [{ id: 1, body: 'move the target' }, { id: 2 }]);
  const before = await repo.commit('board');
  await using running = farm(repo);
  await running.furrow('work', '--detach');
  await expect.poll(() => moved(running)).toMatchObject([{ subject: 'main', reason: expect.stringContaining('task 1') }]);
  const at = await repo.git('rev-parse', 'main');
  expect(at).not.toBe(before);
  expect(await repo.git('rev-parse', 'refs/furrow/head/main')).toBe(before);
  expect((await running.events()).filter(({ kind }) => kind === 'target.moved')).toHaveLength(1);
  expect((await running.furrow('status')).stdout).toContain('keep');

  // Nothing is built on it: no agent starts on task 2, and a restart changes nothing.
  await killDaemon(running);
  const [asked] = await moved(running);
  expect((await running.ask('list')).map((task: { state: string }) => task.state)[1]).toBe('ready');
  expect(await repo.git('rev-parse', 'refs/furrow/head/main')).toBe(before);
  expect((await running.furrow('answer', asked.id, 'what is that')).code).toBe(2);

  await running.furrow('answer', asked.id, 'keep');
  await expect.poll(() => repo.git('rev-parse', 'refs/furrow/head/main')).toBe(at);
  expect(await moved(running)).toEqual([]);
});

it('the question closes when the person moves the target back, and a merge of their own asks nothing', async () => {
  await using repo = await gitRepo(files);
  await writeBoard(repo, [{ id: 1, body: 'move the target' }]);
  const before = await repo.commit('board');
  await using running = farm(repo);
  await running.furrow('work', '--detach');
  await expect.poll(async () => (await moved(running)).length).toBe(1);
  await repo.git('update-ref', 'refs/heads/main', before);
  await expect.poll(() => moved(running)).toEqual([]);

  // The same commits, merged by the person in their checkout.
  const [branch] = (await repo.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/furrow')).split('\n');
  await repo.git('merge', '-q', branch!);
  const at = await repo.git('rev-parse', 'main');
  await expect.poll(() => repo.git('rev-parse', 'refs/furrow/head/main')).toBe(at);
  expect(await moved(running)).toEqual([]);
});
