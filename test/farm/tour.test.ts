import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exec } from '../../src/platform/exec.ts';
import { BIN, farm } from '../support/farm.ts';
import { gitRepo, plainEnv } from '../support/repo.ts';

/** The lines that the README tells a reader to paste. */
async function tour(): Promise<string> {
  const text = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const lines = /## Five minutes[\s\S]*?```sh\n([\s\S]*?)```/.exec(text)?.[1];
  if (!lines) throw new Error('the README has no tour');
  return lines;
}

it('the tour of the README works when it is pasted into an empty folder', async () => {
  await using around = await gitRepo();
  const repo = { ...around, root: join(around.base, 'shop') };
  const bin = join(around.base, 'bin');
  for (const folder of [repo.root, bin]) await mkdir(folder);
  await writeFile(join(bin, 'furrow'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  await chmod(join(bin, 'furrow'), 0o755);
  await writeFile(join(around.home, '.gitconfig'), '[user]\n\tname = Test\n\temail = test@furrow.invalid\n');
  await writeFile(join(around.base, 'tour.sh'), await tour());
  await using _ = farm(repo);
  const env = plainEnv(around);

  const done = await exec(['bash', '-e', '../tour.sh'], {
    cwd: repo.root,
    env: { ...env, PATH: `${bin}:${env['PATH']}` },
    timeoutMs: 120_000,
  });

  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('3 of 3 tasks of default landed');
  expect(done.stdout).toContain('2  Round prices  waits for 1');
  expect(done.stderr, 'the mistake on purpose').toContain('2 goes back: check');
  expect(done.stdout, 'what git log shows').toMatch(/\* [0-9a-f]+ .*Round prices/);
  expect(done.stdout).toContain('nothing needs you');
});
