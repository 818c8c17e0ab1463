import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { gitRepo } from '../git/repo.ts';

it('a process without a descriptor left says so, and takes nothing for gone', async () => {
  await using repo = await gitRepo();
  const worktree = join(repo.root, 'w');
  repo.sh(['worktree', 'add', '-q', worktree]);
  const program = fileURLToPath(new URL('exhausted.ts', import.meta.url));
  const run = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, '--no-warnings', program, repo.gitDir, worktree];
  const said = JSON.parse(execFileSync('sh', run, { encoding: 'utf8' })) as Record<string, string>;
  expect(said).toEqual({ isAlive: 'EMFILE', argumentsOf: 'EMFILE', linkedAt: 'EMFILE', linkedWorktrees: 'EMFILE' });
});
