import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exec } from '../../src/platform/exec.ts';
import { farm } from '../support/farm.ts';
import { paste } from '../support/paste.ts';
import { gitRepo, plainEnv } from '../support/repo.ts';

it('the example of docs/coordination.md works as it stands: split, race, questions, jobs, leases, reviews, digest', async () => {
  await using repo = await gitRepo();
  const env = plainEnv(repo);
  const root = join(repo.base, 'dates');
  // Whatever comes: the farm of the example is stopped, and leaves no process behind.
  await using _running = farm({ ...repo, root });
  const done = await paste(repo, 'docs/coordination.md', repo.base);
  expect(done, `${done.stdout}\n${done.stderr}`).toMatchObject({ code: 0 });
  expect(done.stdout).toMatch(/read {2}Read dates.*\n/);
  expect(done.stdout).toMatch(/all 5 tasks landed|5 of 5/);
  const files = (await exec(['git', '-C', root, 'show', 'main:zone.txt', 'main:zones.txt', 'main:compare.txt'], { env, timeoutMs: 10_000 }))
    .stdout;
  expect(files).toMatch(/UTC, everywhere[\s\S]*Europe\/Berlin[\s\S]*with the database, grant \d/);
  expect(done.stdout).toMatch(/answered/);
  const digest = JSON.parse(await readFile(join(root, 'digest.json'), 'utf8'));
  expect(digest).toMatchObject({ since: 0, budget: 2000 });
  expect(digest.tokens).toBeLessThanOrEqual(2000);
});
