import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exec } from '../../src/platform/exec.ts';
import { BIN, farm } from '../support/farm.ts';
import { gitRepo, plainEnv } from '../support/repo.ts';

const USER = {
  GIT_AUTHOR_NAME: 'Pat',
  GIT_AUTHOR_EMAIL: 'pat@example.org',
  GIT_COMMITTER_NAME: 'Pat',
  GIT_COMMITTER_EMAIL: 'pat@example.org',
};

// Bash reads no further than the line that it runs: a command that reads its input takes the lines after it, as in a terminal.
it('the tour of the README works when it is pasted as a whole', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const tour = /```sh\n(.*?)```/s.exec(readme)![1]!;
  await using base = await gitRepo();
  const repo = { ...base, root: join(base.base, 'tour') };
  await mkdir(repo.root);
  await mkdir(join(base.base, 'bin'));
  await symlink(BIN, join(base.base, 'bin/furrow'));
  await using running = farm(repo);
  const env = plainEnv(repo);
  const done = await exec(['bash', '-s'], {
    cwd: repo.root,
    env: { ...env, ...USER, FURROW_TRUST: '', PATH: `${join(base.base, 'bin')}:${env['PATH']}` },
    input: tour,
    timeoutMs: 240_000,
  });
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(done.stdout + done.stderr).toMatch(/2 goes back: .*page-2\.md has no title/);
  expect(done.stdout).toMatch(/3 of 3 tasks of default landed/);
  expect(done.stdout).toMatch(/nothing needs you\n\* \w+ Round prices\n(\*.*\n)+\* \w+ Start\n$/);
  expect(await running.ask('status')).toMatchObject({ tasks: { landed: 3 } });
});
