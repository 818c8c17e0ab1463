import { watch } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { farmIdOf } from '../../src/platform/farm-file.ts';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon } from '../support/farm.ts';
import { gitRepo, leftIn } from '../support/repo.ts';

/** A repository whose farm has a temporary folder of its own. */
async function place(script: string[], settings = 'driver: scripted') {
  const repo = await gitRepo({ 'furrow.yaml': `agent: scripted\nagents:\n  scripted: { ${settings} }\n`, 'a.txt': 'a\n' });
  await writeBoard(repo, [{ id: 1, script }]);
  await repo.commit('board');
  const temporary = join(repo.base, 'tmp');
  await mkdir(temporary);
  repo.env['TMPDIR'] = temporary;
  return { repo, temporary, nameOf: (attempt: number) => `furrow-${farmIdOf(join(repo.root, '.git'))}-a${attempt}` };
}

it('a daemon that lost its store removes the temporary folders of the attempts that it ends', async () => {
  const { repo, temporary, nameOf } = await place(['hang']);
  await using _ = repo;
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(() => leftIn(temporary)).toEqual([nameOf(1)]);
  await expect.poll(async () => (await repo.tryGit('clean', '-fdxq')).code).toBe(0);
  expect((await running.ask('status')).attention).toMatchObject([{ kind: 'store' }]);
  expect(await leftIn(temporary)).toEqual([]);
});

it('a temporary folder that a killed daemon left of an attempt that has ended is swept, and no other', async () => {
  const { repo, temporary, nameOf } = await place(['write b.txt b', 'commit b']);
  await using _ = repo;
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  expect(await leftIn(temporary)).toEqual([]);
  await killDaemon(running);
  const others = [`${nameOf(1)}0`, `${nameOf(1)}.txt`, 'furrow-00000000-a1'];
  for (const name of [nameOf(1), ...others]) await mkdir(join(temporary, name));
  await running.furrow('status');
  await expect.poll(async () => (await leftIn(temporary)).sort()).toEqual(others.sort());
});

it('only the start of an attempt makes its temporary folder: a daemon that comes back to the attempt does not', async () => {
  const { repo, temporary, nameOf } = await place(['hang'], 'driver: scripted, mode: window');
  await using _ = repo;
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  // The folder is made before the agent is there: killed in between, the next daemon makes the start whole.
  await expect.poll(async () => (await running.ask('status')).agents).toMatchObject([{ state: 'working' }]);
  expect(await leftIn(temporary)).toEqual([nameOf(1)]);
  await killDaemon(running);
  await rm(join(temporary, nameOf(1)), { recursive: true });
  const seen: (string | null)[] = [];
  const watcher = watch(temporary, (_event, name) => void seen.push(name));
  // What the agent left to be read is read before its attempt ends.
  await running.furrow('stop', '--all', '--now');
  watcher.close();
  expect(seen.filter((name) => name === nameOf(1))).toEqual([]);
});
