import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newestLines, reflog } from '../../../src/platform/git/reflog.ts';
import { gitRepo, type TestRepo } from './repo.ts';

/** The same by the person's git. */
function asGit(repo: TestRepo, ref: string, cwd = repo.root) {
  const out = repo.sh(['log', '--walk-reflogs', '--date=unix', '--format=%H|%gd|%gn|%gs', ref, '--'], cwd);
  return out.split('\n').map((line) => {
    const [oid, selector = '', by, message] = line.split('|');
    return { oid, at: Number(/@\{(\d+)\}/.exec(selector)?.[1]), by, message };
  });
}

it('the newest values of a ref are those that git names, of a branch and of the HEAD of each worktree', async () => {
  await using repo = await gitRepo();
  for (const name of ['one', 'two', 'three']) {
    repo.write('readme.md', name);
    repo.commit(`${name}: a <b> c`);
  }
  repo.sh(['reset', '--quiet', '--hard', 'HEAD~1']);
  const linked = join(repo.root, '..', 'linked');
  repo.sh(['worktree', 'add', '--quiet', '-b', 'other', linked, 'HEAD~1']);
  repo.sh(['checkout', '--quiet', '--detach'], linked);
  expect(await reflog(repo, repo.root, 'refs/heads/main', 100)).toEqual(asGit(repo, 'main'));
  expect(await reflog(repo, repo.root, 'HEAD', 100)).toEqual(asGit(repo, 'HEAD'));
  expect(await reflog(repo, linked, 'HEAD', 100)).toEqual(asGit(repo, 'HEAD', linked));
  expect(await reflog(repo, repo.root, 'refs/heads/main', 2)).toEqual(asGit(repo, 'main').slice(0, 2));
});

it('a symbolic ref has the log that git takes for its own', async () => {
  await using repo = await gitRepo();
  repo.sh(['branch', 'trunk']);
  repo.sh(['symbolic-ref', 'refs/heads/trunk', 'refs/heads/main']);
  expect(await reflog(repo, repo.root, 'refs/heads/trunk', 9)).toEqual(asGit(repo, 'trunk'));
  rmSync(join(repo.gitDir, 'logs/refs/heads/trunk'));
  expect(await reflog(repo, repo.root, 'refs/heads/trunk', 9)).toEqual(asGit(repo, 'trunk'));
});

it('lines that are no values are passed over, and more lines than the end of the file has are asked of git', async () => {
  await using repo = await gitRepo();
  const [log, oid] = [join(repo.gitDir, 'logs/refs/heads/main'), repo.sh(['rev-parse', 'main'])];
  const line = (n: number) => `${oid} ${oid} Ada <ada@example.org> ${1_700_000_000 + n} +0000\tline ${n}\n`;
  appendFileSync(log, `garbage\n${line(1)}${oid} ${'0'.repeat(40)} Ada <a> 1 +0000\tgone\n`);
  expect((await reflog(repo, repo.root, 'refs/heads/main', 1))[0]).toMatchObject({ oid, message: 'line 1', at: 1_700_000_001 });
  for (let n = 2; n < 3000; n++) appendFileSync(log, line(n));
  expect((await reflog(repo, repo.root, 'refs/heads/main', 3)).map(({ message }) => message)).toEqual([
    'line 2999',
    'line 2998',
    'line 2997',
  ]);
  expect(newestLines(log, 2900)).toBeUndefined();
});

it('neither a link nor a named pipe is read in the place of the file', async () => {
  await using repo = await gitRepo();
  const log = join(repo.gitDir, 'logs/refs/heads/main');
  rmSync(log);
  expect(newestLines(log, 1)).toBeUndefined();
  symlinkSync(join(repo.gitDir, 'logs/HEAD'), log);
  expect(newestLines(log, 1)).toBeUndefined();
  rmSync(log);
  execFileSync('mkfifo', [log]);
  expect(newestLines(log, 1)).toBeUndefined();
});
