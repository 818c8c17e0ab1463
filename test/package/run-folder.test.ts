import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { gitRepo } from '../support/repo.ts';
import { runFolder } from '../support/run-folder.ts';

const KILLED = `
  import { runFolder } from '${new URL('../support/run-folder.ts', import.meta.url).href}';
  runFolder(process.argv[1], 'run-');
  process.kill(process.pid, 'SIGKILL');
`;

it('a test run removes the folder of a run that was killed, and no other', async () => {
  await using place = await gitRepo();
  const folders = () => readdirSync(place.home).toSorted();
  const living = runFolder(place.home, 'run-');
  mkdirSync(join(place.home, 'run-of-somebody'));
  expect(spawnSync(process.execPath, ['--input-type=module', '-e', KILLED, place.home]).signal).toBe('SIGKILL');
  expect(folders()).toHaveLength(3);
  const next = runFolder(place.home, 'run-');
  expect(folders()).toEqual([basename(living), basename(next), 'run-of-somebody'].toSorted());
  expect(existsSync(living)).toBe(true);
});
