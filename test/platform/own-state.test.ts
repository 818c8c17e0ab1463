import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assertOwnState } from '../../src/platform/own-state.ts';
import { gitRepo } from '../support/repo.ts';

it('a link in the folder of an attempt is its agent’s, and any other in a folder that is written by name is refused', async () => {
  await using repo = await gitRepo();
  const run = join(repo.root, '.furrow', 'run');
  const own = { root: repo.root, gitDir: join(repo.root, '.git') };
  await mkdir(join(run, 'a1'), { recursive: true });
  await symlink('/tmp', join(run, 'a1', 'codex.sock'));
  await assertOwnState(own);
  await symlink('/tmp', join(run, 'a2'));
  await expect(assertOwnState(own)).rejects.toThrow(/a2 is a symbolic link/);
});
