import { expect, it } from 'vitest';
import { exec } from '../../src/platform/exec.ts';
import { writeBoard } from '../support/board.ts';
import { BIN, farm, type TestFarm } from '../support/farm.ts';
import { plainEnv, type TestRepo } from '../support/repo.ts';
import { commits, file, scriptedRepo, shellRepo } from './shell.ts';

const WAIT = { timeout: 8000, interval: 100 };
const states = async (running: TestFarm): Promise<string[]> => (await running.ask('list')).map((task: { state: string }) => task.state);

/** A command that runs on while the test does something else, and the process to send signals to. */
async function begin(repo: TestRepo, ...args: string[]) {
  let started: (pid: number) => void;
  const pid = new Promise<number>((resolve) => {
    started = resolve;
  });
  const ended = exec([process.execPath, BIN, ...args], {
    cwd: repo.root,
    env: plainEnv(repo),
    timeoutMs: 30_000,
    onSpawn: (it) => started(it),
  });
  return { pid: await pid, ended };
}

it('an agent that is stopped has its five seconds to put its work in order', async () => {
  const save = `${commits('saved')}; exit 0`;
  await using repo = await shellRepo({ 1: `trap 'sleep 0.5 || :; ${save}' TERM; furrow progress ready; while :; do sleep 0.1 || :; done` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.progress'), WAIT).toBe(true);
  await running.furrow('stop');
  expect(await repo.git('log', '--all', '--format=%s')).toContain('saved');
});

it('a second Ctrl-C leaves the farm running, says so, and the work is done', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: ['attempt 1:', 'ignore-signals', 'progress deaf', 'hang', 'attempt 2:', ...file(1)] }]);
  await using running = farm(repo);
  const work = await begin(repo, 'work', '--parallel', '1');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.progress'), WAIT).toBe(true);
  process.kill(work.pid, 'SIGINT');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.stopping'), WAIT).toBe(true);
  process.kill(work.pid, 'SIGINT');
  expect(await work.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('goes on') });
  expect((await running.ask('status')).farm.state).toBe('running');
  await expect.poll(() => states(running), { timeout: 12_000 }).toEqual(['landed']);
});
