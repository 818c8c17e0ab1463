import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon, type TestFarm } from '../support/farm.ts';
import { branchWith, gitRepo } from '../support/repo.ts';

const config = (more: object = {}) =>
  stringify({ agent: 'script', agents: { script: { driver: 'scripted' } }, check: 'sh check.sh', ...more });

const entryOf = async (running: TestFarm, task: string) =>
  (await running.ask('queue')).entries.findLast((one: { task: string }) => one.task === task);

it('protected paths never land by the queue, whoever submits them and whatever they are called', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': config({ protect: ['.github/**'] }), 'check.sh': 'true\n', 'a.txt': 'a\n' });
  const bad = {
    rules: { 'furrow.yaml': config({ check: 'true' }) },
    twin: { 'FURROW.YAML': 'check: true\n' },
    folder: { '.GitHub/workflows/x.yml': 'x\n' },
    settings: { '.claude/settings.json': '{}\n', 'b.txt': 'b\n' },
  };
  for (const [name, files] of Object.entries(bad)) await branchWith(repo, name, files);
  await branchWith(repo, 'good', { 'c.txt': 'c\n' });
  const before = await repo.git('rev-parse', 'main');
  await using running = farm(repo);

  for (const [name, files] of Object.entries(bad)) {
    const said = await running.furrow('submit', name);
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining(`${Object.keys(files)[0]}, which the queue never lands`) });
    expect(said.stderr).toContain('commit it on main yourself');
  }
  expect((await running.ask('queue')).entries).toEqual([]);
  expect(await repo.git('rev-parse', 'main')).toBe(before);

  // One that the target has by now is no change any more.
  await repo.write('.claude/settings.json', '{}\n');
  await repo.commit('settings of mine');
  expect(await running.furrow('submit', 'settings', '--wait')).toMatchObject({ code: 0 });
  expect(await running.furrow('submit', 'good', '--wait')).toMatchObject({ code: 0 });
});

it('an entry that is in the queue when protect grows goes back, also after kill -9', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': config(), 'check.sh': 'true\n', 'infra/a.tf': 'a\n' });
  await writeBoard(repo, [{ id: 1, script: ['attempt 1:', 'write infra/a.tf b', 'commit b', 'attempt 2:', 'blocked stop here'] }]);
  await repo.commit('board');
  await branchWith(repo, 'mine', { 'infra/b.tf': 'b\n' });
  await using running = farm(repo);
  await running.furrow('queue', 'pause');
  await running.furrow('submit', 'mine');
  await running.furrow('work', '--detach');
  await expect.poll(async () => (await running.ask('queue')).entries.length).toBe(2);
  await writeFile(join(repo.root, 'furrow.yaml'), config({ protect: ['infra/**'] }));
  // The board is being written just then, and `git add` may meet a file that is gone a moment later.
  await expect.poll(() => repo.commit('protect').then(() => 'committed', String)).toBe('committed');
  await killDaemon(running);
  await running.furrow('queue', 'resume');
  await expect.poll(async () => (await entryOf(running, 'mine')).state).toBe('rejected');
  await expect.poll(async () => (await entryOf(running, '1')).state).toBe('rejected');
  expect((await entryOf(running, '1')).reason).toBe('it changes protected paths: infra/a.tf');
  expect((await running.ask('why', 'mine')).reasons[0].text).toContain('infra/b.tf');
  const asked = (await running.ask('status')).attention.find((one: { kind: string }) => one.kind === 'rejected');
  expect(asked).toMatchObject({ subject: 'mine', reason: expect.stringContaining('it changes protected paths: infra/b.tf') });
  expect((await running.ask('queue')).landings).toEqual([]);
});

it('a task that rewrites the check does not judge itself: its work waits for a yes', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': config(), 'check.sh': 'test ! -f bad.txt\n' });
  await writeBoard(repo, [
    { id: 1, script: ['write check.sh true', 'write bad.txt bad', 'commit done'] },
    { id: 2, script: ['write good.txt good', 'commit good'] },
  ]);
  await repo.commit('board');
  await using running = farm(repo);
  expect((await running.furrow('work')).code).toBe(1);
  expect((await running.ask('list')).map((task: { state: string }) => task.state)).toEqual(['submitted', 'landed']);
  const reasons = (await running.ask('why', '1')).reasons.map((one: { text: string }) => one.text).join('\n');
  expect(reasons).toContain('check.sh');
  const asked = (await running.ask('status')).attention.find((one: { kind: string }) => one.kind === 'approval');
  expect(asked).toMatchObject({ subject: '1', reason: expect.stringContaining('check.sh') });
});
