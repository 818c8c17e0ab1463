import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

const CONFIG = 'agent: scripted\nagents:\n  scripted: { driver: scripted }\ncheck: sh check.sh\nqueue: { retries: 0 }\n';

it('starts no agent on a red target, says what is missing, and goes on by itself when the target is fixed', async () => {
  await using repo = await gitRepo({
    'furrow.yaml': CONFIG,
    'check.sh': 'echo "sh: 1: mocha: not found" >&2; exit 127\n',
    'package.json': '{"scripts":{"test":"mocha"},"devDependencies":{"mocha":"11"}}',
    'package-lock.json': '{}',
  });
  await writeBoard(repo, [{ id: 1, title: 'One', script: ['write one.txt one', 'commit one'] }]);
  await using running = farm(repo);

  const red = await running.furrow('work');
  expect(red, red.stderr).toMatchObject({ code: 1 });
  expect(red.stderr).toContain('main itself fails `check` (exit 127), before any task. Output: ');
  expect(red.stderr).toContain('mocha: not found');
  expect(red.stderr).toContain('add to furrow.yaml: worktree: { setup: ["npm ci"] }');
  const kinds = async () => (await running.events()).map(({ kind }) => kind);
  expect(await kinds()).not.toContain('attempt.started');
  expect((await running.ask('status')).attention).toEqual([
    expect.objectContaining({ kind: 'preflight', subject: 'main', reason: expect.stringContaining('no agent starts before it passes') }),
  ]);
  expect((await running.ask('why', '1')).reasons).toContainEqual(expect.objectContaining({ code: 'preflight' }));
  const asked = await running.furrow('doctor', '--check', '--json');
  expect(asked).toMatchObject({ code: 1 });
  expect(asked.json()).toMatchObject({ state: 'red', checks: [{ name: 'check', state: 'failed', detail: 'exit 127' }] });

  const client = await connect(repo.root, { start: false });
  await repo.write('check.sh', '[ -e one.txt ] || [ -e package.json ]\n');
  await repo.git('commit', '-qam', 'The check needs nothing');
  expect(await client.call('settled', { phase: 'default' })).toMatchObject({ landed: 1, total: 1, left: [] });
  expect((await client.call('status', {})).attention).toEqual([]);
  client.close();

  const checks = async () => (await running.events()).filter(({ kind }) => kind === 'check.ended').length;
  const before = await checks();
  expect(await running.furrow('doctor', '--check')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/passes in a clean worktree in [\d.]+ s, landing on main/),
  });
  expect(await running.furrow('work')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/your check passes in a clean worktree in [\d.]+ s, landing on main/),
  });
  expect(await checks()).toBe(before);
});

it('tells set-up from the check, and what waits for it', async () => {
  const gate = (name: string) => `while [ ! -e ${name} ]; do sleep 0.05; done`;
  await using repo = await gitRepo({
    'furrow.yaml': `${CONFIG}worktree: { setup: sh setup.sh }\n`,
    'setup.sh': gate('"$HOME/set"'),
    'check.sh': gate('"$HOME/open"'),
  });
  await writeBoard(repo, [{ id: 1, title: 'One', script: ['write one.txt one', 'commit one'] }]);
  await using running = farm(repo);
  await running.furrow('work', '--detach');
  const shown = async () => {
    const { queue } = await running.ask('status');
    const { checks } = await running.ask('queue');
    return [queue.checking, queue.setups, ...checks.map(({ setup }: { setup: boolean }) => setup)];
  };
  await expect.poll(shown).toEqual([1, 1, true]);
  const why = async () => (await running.furrow('why', '1')).stdout;
  await expect.poll(why).toMatch(/main itself is checked first.*\n.*waits for set-up \(sh setup\.sh\).*\nnext: furrow logs setup\n$/);
  await repo.write('../home/set', '');
  await expect.poll(shown).toEqual([1, 0, false]);
  await repo.write('../home/open', '');
  expect(await running.furrow('work')).toMatchObject({ code: 0 });
});

it('fills the worktrees of the first tasks while the target is checked, and starts no agent before it passed', async () => {
  await using repo = await gitRepo({
    'furrow.yaml': CONFIG,
    'check.sh': ': > ../../../gates/seen\nwhile [ ! -e ../../../gates/open ]; do sleep 0.05; done\n',
  });
  const gates = join(repo.base, 'gates');
  await mkdir(gates);
  await writeBoard(
    repo,
    [1, 2].map((id) => ({ id, title: `Task ${id}`, script: [`write ${id}.txt one`, 'commit one'] })),
  );
  await using running = farm(repo);
  await running.ask('status');
  const client = await connect(repo.root, { start: false });
  await client.call('work', { parallel: 3 });
  const filled = async () => {
    const { agents } = await client.call('status', {});
    return agents.filter(({ worktree }) => existsSync(join(worktree, 'check.sh'))).length;
  };
  await expect.poll(filled, { timeout: 60_000 }).toBe(2);
  await expect.poll(() => existsSync(join(gates, 'seen')), { timeout: 60_000 }).toBe(true);
  const kinds = (await running.events()).map(({ kind }) => kind);
  expect(kinds).not.toContain('attempt.started');
  expect(kinds).not.toContain('preflight.passed');
  await writeFile(join(gates, 'open'), '');
  expect(await client.call('settled', { phase: 'default' })).toMatchObject({ landed: 2, left: [] });
  client.close();
});
