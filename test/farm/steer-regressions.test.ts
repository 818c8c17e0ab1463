import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { begin, farm, type TestFarm } from '../support/farm.ts';
import { processesOf } from '../support/processes.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

const states = async (running: TestFarm): Promise<string[]> => (await running.ask('list')).map((task: { state: string }) => task.state);

it('an agent that is stopped has its five seconds to put its work in order', async () => {
  const save = `${commits('saved')}; exit 0`;
  await using repo = await shellRepo({ 1: `trap 'sleep 0.5 || :; ${save}' TERM; furrow progress ready; while :; do sleep 0.1 || :; done` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.progress')).toBe(true);
  await running.furrow('stop');
  expect(await repo.git('log', '--all', '--format=%s')).toContain('saved');
});

it('a second Ctrl-C leaves the farm running, says so, and the attempt that ran goes on', async () => {
  await using repo = await shellRepo({ 1: `furrow progress here; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; ${commits('1')}` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const work = begin(repo, 'work', '--parallel', '1');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.progress')).toBe(true);
  process.kill(work.pid, 'SIGINT');
  await work.said('stopping');
  // Within 50 ms it would count as the same Ctrl-C, passed on by the launcher.
  await new Promise((later) => setTimeout(later, 100));
  process.kill(work.pid, 'SIGINT');
  expect(await work.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('goes on') });
  expect((await running.ask('status')).farm.state).toBe('running');
  await repo.write('../home/go', '');
  await expect.poll(() => states(running)).toEqual(['landed']);
  expect((await running.ask('list'))[0].attempt).toBe(1);
});

it('a second Ctrl-C that comes when the agents are being ended starts none of them again, and says so', async () => {
  const deaf = `trap ': > "$HOME/told"' TERM; furrow progress here; while [ ! -e "$HOME/go" ]; do sleep 0.05 || :; done; exit 1`;
  await using repo = await shellRepo({ 1: deaf });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const work = begin(repo, 'work', '--parallel', '1');
  const of = async (kind: string) => (await running.events()).filter((event) => event.kind === kind);
  await expect.poll(async () => (await of('agent.progress')).length).toBe(1);
  process.kill(work.pid, 'SIGINT');
  await expect.poll(() => existsSync(join(repo.home, 'told'))).toBe(true);
  process.kill(work.pid, 'SIGINT');
  expect(await work.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('none starts again: furrow work resumes') });
  await repo.write('../home/go', '');
  await expect.poll(async () => (await running.ask('status')).farm.state).toBe('stopped');
  expect(await states(running)).toEqual(['ready']);
  expect(await of('attempt.started')).toHaveLength(1);
});

it('a daemon that is ended while stop waits for a deaf agent ends, and the next one goes on', async () => {
  await using repo = await shellRepo({ 1: `trap '' TERM; furrow progress deaf; while [ ! -e "$HOME/go" ]; do sleep 0.1; done` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.progress')).toBe(true);
  const daemon = async () => (await running.ask('status')).farm.pid;
  const pid = await daemon();
  const stop = begin(repo, 'stop');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.stopping')).toBe(true);
  process.kill(pid, 'SIGTERM');
  await repo.write('../home/go', '');
  await expect.poll(daemon).not.toBe(pid);
  expect((await stop.ended).code).not.toBeNull();
  expect(await running.furrow('stop')).toMatchObject({ code: 0 });
});

it('stop does not wait for the set-up of a worktree, and leaves nothing of it', async () => {
  await using repo = await shellRepo({ 1: commits('1') }, `${SHELL}worktree: { setup: ["sleep 600; true"] }\n`);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const asleep = () => processesOf(repo.base).filter((seen) => seen.command === 'sleep 600').length;
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(asleep).toBe(1);
  const stop = await running.furrow('stop');
  expect(stop, stop.stderr).toMatchObject({ code: 0 });
  expect(asleep()).toBe(0);
  expect((await running.ask('status')).farm.state).toBe('stopped');
  expect(await states(running)).toEqual(['ready']);
});

it('agents beyond a lower --parallel end what they have, and take no further task', async () => {
  const ids = [1, 2, 3, 4, 5, 6, 7];
  const waits = 'furrow progress here; while [ ! -e "$HOME/go" ]; do sleep 0.05; done';
  await using repo = await shellRepo(Object.fromEntries(ids.map((id) => [id, `${id < 5 ? waits : ':'}; ${commits(String(id))}`])));
  await writeBoard(
    repo,
    ids.map((id) => ({ id })),
  );
  await using running = farm(repo);
  const of = async (kind: string) => (await running.events()).filter((event) => event.kind === kind);
  await running.furrow('work', '--parallel', '4', '--detach');
  await expect.poll(async () => (await of('agent.progress')).length).toBe(4);
  const { agents } = await running.ask('work', '--parallel', '2', '--detach');
  await repo.write('../home/go', '');
  await expect.poll(async () => new Set(await states(running))).toEqual(new Set(['landed']));
  const later = (await of('attempt.started')).filter((event) => Number(event.task) > 4).map((event) => event.agent);
  expect(later).toHaveLength(3);
  expect(agents).toEqual(expect.arrayContaining(later));
});

it('an order that is given while a daemon is ending is carried out by the next one', async () => {
  const deaf = `trap '' TERM; furrow progress deaf; while [ ! -e "$HOME/go" ]; do sleep 0.1; done; exit 0`;
  await using repo = await shellRepo({ 1: deaf, 2: commits('2') });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.progress')).toBe(true);
  const { pid } = (await running.ask('status')).farm;
  const stop = running.furrow('stop');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.stopping')).toBe(true);
  process.kill(pid, 'SIGTERM');
  await stop;
  await writeBoard(repo, [{ id: 2 }]);
  const work = running.furrow('work', '--parallel', '2', '--detach');
  setTimeout(() => void repo.write('../home/go', ''), 500);
  expect(await work).toMatchObject({ code: 0 });
  // Asked of git alone: a command of ours would start the daemon that is missing.
  await expect.poll(async () => (await repo.tryGit('show', 'main:src/2.txt')).stdout).toBe('2\n');
});
