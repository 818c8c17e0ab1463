import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { gitsAtWork } from '../../../src/platform/git/at-work.ts';
import { gitsIn } from '../../../src/platform/git/holders.ts';
import { runGit } from '../../../src/platform/git/run.ts';
import { endStarter, startElsewhere } from '../../../src/platform/starter/elsewhere.ts';
import { allProcesses } from '../../support/processes.ts';
import { gitRepo } from './repo.ts';

afterEach(() => endStarter());

it.runIf(process.platform === 'linux').each(['this process', 'the starter'])('a git that %s started is known as our own', async (who) => {
  await using repo = await gitRepo();
  if (who === 'the starter') startElsewhere(repo.root);
  const pipe = join(repo.root, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const done = runGit(repo, ['hash-object', '--no-filters', pipe]);
  // Opened as soon as git reads it.
  const input = await open(pipe, 'w');
  const git = allProcesses().find(({ command }) => command.includes(pipe));
  expect(git?.ppid === process.pid).toBe(who === 'this process');
  expect(gitsAtWork().filter(({ pid }) => pid === git?.pid)).toEqual([]);
  expect(gitsIn(repo, join(repo.root, '.furrow'))).toBe(0);
  await input.writeFile('words\n');
  await input.close();
  expect(await done).toMatchObject({ code: 0 });
});
