import { execFileSync } from 'node:child_process';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tryGit } from '../../../src/platform/git/run.ts';
import { gitRepo } from './repo.ts';

/** Runs a git that has passed every look at the git folder, and begins to read it after `plant`: a log that is a pipe holds it up. */
async function meanwhile(plant: (packed: string, secret: string) => void) {
  await using repo = await gitRepo();
  repo.sh(['pack-refs', '--all']);
  const [log, secret, packed] = [join(repo.root, '..', 'log'), join(repo.root, '..', 'secret'), join(repo.gitDir, 'packed-refs')];
  execFileSync('mkfifo', [log]);
  writeFileSync(secret, 'the words of the person\n');
  const onSpawn = () => {
    plant(packed, secret);
    void readFile(log);
  };
  return await tryGit(repo, ['for-each-ref'], { env: { GIT_TRACE: log }, onSpawn }).then(
    ({ code, stderr }) => ({ code, text: stderr }),
    (error: Error) => ({ code: null, text: error.message }),
  );
}

it('a link that is put there after git has begun is named, and what it leads to is not', async () => {
  const { text } = await meanwhile((packed, secret) => {
    renameSync(packed, `${packed}.kept`);
    symlinkSync(secret, packed);
  });
  expect(text).toMatch(/packed-refs is a link/);
  expect(text).not.toContain('the words');
});

it('nor is it where the link is gone again by then: git quotes no line of a file', async () => {
  const { code, text } = await meanwhile((packed) => writeFileSync(packed, 'the words of the person\n'));
  expect([code, text]).toEqual([128, expect.stringMatching(/(unexpected|unterminated) line in .*packed-refs/)]);
  expect(text).not.toContain('the words');
});
