import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { liveSockets, processesOf } from '../support/processes.ts';
import { gitRepo } from '../support/repo.ts';

/** A run with a keeper, which starts a tmux server and a program that hears no signal, both in sessions of their own. */
const RUN = `
  import { spawn, spawnSync } from 'node:child_process';
  import { keepRun } from '${new URL('../support/keeper.ts', import.meta.url).href}';
  const [folder] = process.argv.slice(1);
  const clean = keepRun([folder]);
  spawnSync('tmux', ['-S', folder + '/tmux.sock', '-f', '/dev/null', 'new-session', '-d', 'sleep 999']);
  const deaf = spawn('sh', ['-c', "trap '' INT TERM HUP; echo ready; sleep 999 & wait; wait"], { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  deaf.stdout.once('data', () => process.stdout.write('ready'));
  process.stdin.once('data', () => clean().then(() => process.stdout.write('clean')));
`;

async function begin(folder: string) {
  mkdirSync(folder);
  const run = spawn(process.execPath, ['--input-type=module', '-e', RUN, folder], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  await once(run.stdout, 'data');
  expect(processesOf(folder).length).toBeGreaterThanOrEqual(4);
  return run;
}

it.each(['SIGINT', 'SIGKILL'] as const)(
  'a test run that is ended by %s leaves no process, no tmux server and no folder',
  async (signal) => {
    await using place = await gitRepo();
    const folder = join(place.home, 'run');
    const run = await begin(folder);
    process.kill(-run.pid!, signal);
    await expect.poll(() => [existsSync(folder), processesOf(folder).length, liveSockets(folder)]).toEqual([false, 0, []]);
  },
);

it('a test run that ends by itself has everything removed before it goes on', async () => {
  await using place = await gitRepo();
  const folder = join(place.home, 'run');
  const run = await begin(folder);
  run.stdin.write('end');
  expect(String(await once(run.stdout, 'data'))).toBe('clean');
  expect([existsSync(folder), liveSockets(folder)]).toEqual([false, []]);
  expect(run.exitCode, 'the run itself goes on').toBe(null);
  process.kill(-run.pid!, 'SIGKILL');
  await expect.poll(() => processesOf(folder)).toEqual([]);
});
