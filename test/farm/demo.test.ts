import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { furrowIn } from '../support/farm.ts';
import { assertNoLeak } from '../support/processes.ts';
import { gitRepo } from '../support/repo.ts';

it('the demo lands everything, shows its three incidents and its proof, and leaves nothing', async () => {
  await using repo = await gitRepo();
  const temporary = join(repo.base, 'tmp');
  await mkdir(temporary);
  const done = await furrowIn(repo, { cwd: repo.home, env: { TMPDIR: temporary }, timeoutMs: 60_000 }, 'demo');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('12 of 12 tasks landed');
  for (const incident of ['conflict ', 'red check ', 'crash ']) expect(done.stdout).toContain(`\n  ${incident}`);
  expect(done.stdout).toMatch(/(\d+) of \1 pass/);
  expect(done.stdout).not.toContain('RED');
  expect(await readdir(temporary)).toEqual([]);
  await assertNoLeak(repo.base);
});
