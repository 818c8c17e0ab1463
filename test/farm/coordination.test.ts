import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exec } from '../../src/platform/exec.ts';
import { BIN, farm } from '../support/farm.ts';
import { gitRepo, plainEnv } from '../support/repo.ts';

/** Runs the blocks of a page in one shell, in order, as somebody does who pastes them. */
async function paste(page: string, cwd: string, env: Record<string, string>) {
  const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  const script = blocks.map((block, n) => `echo "== ${n + 1}"\n${block}`).join('\n');
  return exec(['bash', '-c', `set -e\n${script}`], { cwd, env, timeoutMs: 110_000 });
}

it('the example of docs/coordination.md works as it stands: split, race, questions, jobs, leases, reviews, digest', async () => {
  await using repo = await gitRepo();
  const bin = join(repo.base, 'furrow');
  await writeFile(bin, `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`);
  await chmod(bin, 0o755);
  await writeFile(join(repo.home, '.gitconfig'), '[user]\n\tname = Test\n\temail = test@furrow.invalid\n');
  const env = plainEnv(repo);
  const root = join(repo.base, 'dates');
  // Whatever comes: the farm of the example is stopped, and leaves no process behind.
  await using _running = farm({ ...repo, root });
  const done = await paste('coordination.md', repo.base, { ...env, PATH: `${repo.base}:${env['PATH']}` });
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
