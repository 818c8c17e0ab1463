import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

const PROGRAMS = { claude: '@anthropic-ai/claude-code', codex: '@openai/codex', gemini: '@google/gemini-cli', opencode: 'opencode-ai' };

/** A machine that has none of them, whatever the one the test runs on has; what is put into `bin` is on the PATH. */
async function bare(agent: string, tasks: Parameters<typeof writeBoard>[1]) {
  const agents = { here: { driver: 'scripted' } };
  const repo = await gitRepo({ 'furrow.yaml': stringify({ agent, agents, check: 'true' }), 'README.md': 'x\n' });
  const bin = join(repo.base, 'bin');
  await mkdir(bin);
  const has = (folder: string) => Object.keys(PROGRAMS).some((name) => existsSync(join(folder, name)));
  const path = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '' && !has(folder));
  Object.assign(repo.env, { PATH: [bin, ...path].join(':') });
  const [file] = await writeBoard(repo, tasks);
  await repo.commit('board');
  return { repo, bin, file: join(repo.root, file!) };
}

it.each(Object.entries(PROGRAMS))('without %s nothing is begun that needs it: exit 78, its name, and how to get it', async (kind, from) => {
  const { repo, file } = await bare(kind, [{ id: 1 }]);
  await using _repo = repo;
  await using running = farm(repo);
  const before = await readFile(file, 'utf8');
  for (const way of [
    ['--parallel', '2'],
    ['--parallel', '2', '--detach'],
  ]) {
    const done = await running.furrow('work', ...way);
    expect(done.code, done.stderr).toBe(78);
    expect(done.stdout).toBe('');
    expect(done.stderr).toContain(`${kind} is not on the PATH, and agents of kind ${kind} need it`);
    expect(done.stderr).toContain(`npm install -g ${from}`);
  }
  expect(await running.ask('status')).toMatchObject({ farm: { state: 'stopped' }, agents: [], tasks: { ready: 1 }, attention: [] });
  expect((await running.events()).map((event) => event.kind)).toEqual(['config.changed', 'target.changed', 'trust.given', 'task.added']);
  expect(await readFile(file, 'utf8')).toBe(before);
  expect([await repo.git('branch', '--format=%(refname:short)'), await repo.git('worktree', 'list', '--porcelain')]).toEqual([
    'main',
    expect.not.stringContaining('.furrow'),
  ]);
  // Whoever names another kind can work.
  expect((await running.furrow('work', '--agent', 'here', '--detach')).code).toBe(0);
});

it('a task that names a kind whose program is missing waits for a person; the others land, and with the program it goes on', async () => {
  const { repo, bin } = await bare('here', [
    { id: 1, agent: 'gemini', script: ['write 1.txt 1'] },
    { id: 2, script: ['write 2.txt 2', 'commit 2'] },
  ]);
  await using _repo = repo;
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '2')).toMatchObject({ code: 1, stdout: expect.stringContaining('npm install -g') });
  const { attention, tasks } = await running.ask('status');
  expect(tasks).toMatchObject({ landed: 1, parked: 1 });
  expect(attention).toMatchObject([
    {
      kind: 'parked',
      subject: '1',
      reason: 'gemini is not on the PATH, and agents of kind gemini need it; npm install -g @google/gemini-cli',
    },
  ]);
  expect((await running.ask('show', '1')).attempts).toEqual([]);

  await writeFile(join(bin, 'gemini'), '#!/bin/sh\nexit 1\n');
  await chmod(join(bin, 'gemini'), 0o755);
  await running.furrow('answer', attention[0].id, 'it is there now');
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.ask('show', '1')).attempts.length).toBeGreaterThan(0);
});
