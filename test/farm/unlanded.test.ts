import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { writeBoard } from '../support/board.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

/** 1: red work, then "no change". 2: a person's commit, then "no change". 3: red work, then an end without any. */
const AGENT = `case "$FURROW_TASK $FURROW_ATTEMPT" in
  '1 1' | '3 1' ) echo red > red-$FURROW_TASK.txt; git add .; git commit --quiet -m red; exit 0 ;;
  '3 '* ) exit 0 ;;
esac
echo 'it is there already'; exit 76
`;

interface Asked {
  id: string;
  kind: string;
  subject: string;
  reason: string;
}

const state = async (running: TestFarm, id: string) =>
  (await running.ask('list')).find((one: { id: string }) => one.id === id) as { state: string; reason: string };
const asked = async (running: TestFarm, subject: string) =>
  ((await running.ask('status')).attention as Asked[]).find((one) => one.subject === subject);

it('a task that has commits which never landed is not done because its agent says that no change is needed', async () => {
  await using repo = await gitRepo({
    'furrow.yaml': stringify({
      agent: 'sh',
      agents: { sh: { driver: 'command', run: 'sh agent.sh' } },
      check: 'test ! -e red-1.txt && test ! -e red-3.txt',
      queue: { retries: 0 },
    }),
    'agent.sh': AGENT,
  });
  await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3 }]);
  await repo.commit('board');
  await using running = farm(repo);
  const { worktree } = await running.ask('take', '2');
  await writeFile(join(worktree, 'mine.txt'), 'mine\n');
  await repo.git('-C', worktree, 'add', '.');
  await repo.git('-C', worktree, 'commit', '--quiet', '--message', 'by a person');
  await running.furrow('give', '2');

  const worked = await running.furrow('work', '--parallel', '1');
  expect(worked.code).toBe(1);
  expect(await Promise.all(['1', '2', '3'].map(async (id) => (await state(running, id)).state))).toEqual(['blocked', 'blocked', 'blocked']);
  const open = '1 commit has not landed: land or drop?';
  for (const id of ['1', '2', '3'])
    expect(await asked(running, id)).toMatchObject({ kind: 'unlanded', reason: expect.stringContaining(open) });
  expect((await asked(running, '3'))!.reason).not.toContain('no change');
  const shown = (await running.furrow('status')).stdout;
  const [first, second] = [(await asked(running, '1'))!, (await asked(running, '2'))!];
  expect(shown).toContain(`furrow answer ${first.id} drop`);
  expect(shown).toContain(`furrow answer ${second.id} land`);

  await running.furrow('answer', second.id, 'land');
  await expect.poll(async () => (await state(running, '2')).state).toBe('landed');
  await expect.poll(async () => (await repo.tryGit('show', 'main:mine.txt')).stdout).toBe('mine\n');

  await running.furrow('answer', first.id, 'drop');
  expect(await state(running, '1')).toMatchObject({ state: 'landed', reason: expect.stringContaining('you dropped its commits') });
  expect(await asked(running, '1')).toBeUndefined();

  // Asked again, the same commits are no question any more; and "no change" about others still is one.
  await running.furrow('answer', (await asked(running, '3'))!.id, 'give up');
  await running.furrow('retry', '1');
  expect((await running.furrow('work', '--parallel', '1')).code).toBe(1);
  expect(await state(running, '1')).toMatchObject({ state: 'landed', reason: 'needed no change: it is there already' });
});

it('a branch that landed and was reverted lands again when it is submitted again', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': stringify({ check: 'true' }), 'a.txt': 'a\n' });
  await using running = farm(repo);
  await repo.git('switch', '--quiet', '--create', 'feature');
  await repo.write('feature.txt', 'new\n');
  await repo.git('add', '.');
  await repo.git('commit', '--quiet', '--message', 'the feature');
  await repo.git('switch', '--quiet', 'main');
  const submit = () => running.furrow('submit', 'feature', '--wait');
  expect((await submit()).code).toBe(0);
  await repo.git('revert', '--no-edit', 'HEAD');
  expect((await repo.tryGit('show', 'main:feature.txt')).code).not.toBe(0);
  const again = await submit();
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('landed as')]);
  expect(await repo.git('show', 'main:feature.txt')).toBe('new');
  expect((await submit()).stdout).toContain('already has it');
});

it('a task whose landing a person reverted lands again when its branch is submitted again', async () => {
  await using repo = await gitRepo({
    'furrow.yaml': stringify({ agent: 'script', agents: { script: { driver: 'scripted' } }, check: 'true' }),
  });
  await writeBoard(repo, [{ id: 1, script: ['write one.txt 1', 'commit one'] }]);
  await repo.commit('board');
  await using running = farm(repo);
  expect((await running.furrow('work', '--parallel', '1')).code).toBe(0);
  await repo.git('branch', 'kept', (await repo.git('for-each-ref', '--format=%(objectname)', 'refs/furrow/pin/default/1/')).trim());
  await repo.git('revert', '--no-edit', 'HEAD');
  const again = await running.furrow('submit', 'kept', '--task', '1', '--wait');
  expect(again.code).toBe(0);
  expect(await repo.git('show', 'main:one.txt')).toBe('1');
  expect((await running.ask('list'))[0].state).toBe('landed');
});
