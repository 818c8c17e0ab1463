import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { gitsAtWork, switches, verbOf, writes } from '../../../src/platform/git/at-work.ts';

it.each([
  ['git commit', 'commit'],
  ['/usr/bin/git -c user.name=x -C /repo --no-pager switch main', 'switch'],
  ['git --git-dir /repo/.git --work-tree=/repo checkout -q main', 'checkout'],
  ['/usr/lib/git-core/git-rebase main', 'rebase'],
  ['git', ''],
  ['vim COMMIT_EDITMSG', undefined],
  ['/opt/github-desktop switch', undefined],
])('finds the command of: %s', (line, verb) => {
  expect(verbOf(line.split(' '))).toBe(verb);
});

it.each([
  ['log', false, false],
  ['commit', true, false],
  ['switch', true, true],
  ['an-alias', true, true],
])('knows what git %s may do', (verb, write, move) => {
  const git = { pid: 1, start: '', cwd: '/', verb };
  expect([writes(git), switches(git)]).toEqual([write, move]);
});

it.runIf(process.platform === 'linux')('knows a process by the program that it executes now', async () => {
  const child = spawn('sh', ['-c', 'read _; exec git hash-object --stdin-paths'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const found = () => gitsAtWork().filter(({ pid }) => pid === child.pid);
  try {
    expect([found(), found()]).toEqual([[], []]);
    child.stdin.write('\n');
    await expect.poll(found).toMatchObject([{ pid: child.pid, verb: 'hash-object' }]);
    expect(found()).toMatchObject([{ verb: 'hash-object' }]);
  } finally {
    child.kill('SIGKILL');
  }
});
