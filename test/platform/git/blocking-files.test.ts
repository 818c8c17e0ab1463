import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { findRoot } from '../../../src/api/place.ts';
import { logExec } from '../../../src/platform/exec.ts';
import { unlessItWaits, waitingFiles } from '../../../src/platform/git/blocking-files.ts';
import { assertNoBranchFile } from '../../../src/platform/git/branch-in-way.ts';
import { personSettings } from '../../../src/platform/git/config-files.ts';
import { clearOwnRefs } from '../../../src/platform/git/planted-refs.ts';
import { listRefs } from '../../../src/platform/git/refs.ts';
import { tryGit } from '../../../src/platform/git/run.ts';
import { gitRepo, type TestRepo } from './repo.ts';

function pipe(repo: TestRepo, name: string): string {
  const file = join(repo.gitDir, name);
  rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  execFileSync('mkfifo', [file]);
  return file;
}

it('gits that take long share their looks at .git, and are ended by the next', async () => {
  await using repo = await gitRepo();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  try {
    const ended: string[] = [];
    const begin = (name: string) =>
      unlessItWaits(repo.gitDir, undefined, async (signal) => {
        await once(signal, 'abort');
        ended.push(name);
        return { code: null, signal: 'SIGKILL', stdout: '', stderr: '', ms: 0, timedOut: false, truncated: false };
      }).catch(({ code }: { code: string }) => code);
    const first = begin('first');
    await vi.advanceTimersByTimeAsync(100);
    const second = begin('second');
    await vi.advanceTimersByTimeAsync(1900);
    pipe(repo, 'refs/heads/side');
    await vi.advanceTimersByTimeAsync(100);
    expect(ended, 'the look of the first found nothing, a moment ago').toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await Promise.all([first, second])).toEqual(['PIPE_IN_GIT', 'PIPE_IN_GIT']);
  } finally {
    vi.useRealTimers();
  }
});

it('a git that began while a pipe was known is ended when somebody removes the pipe: it may have opened it before', async () => {
  await using repo = await gitRepo();
  const file = pipe(repo, 'refs/heads/furrow/p/ada/1');
  await expect(tryGit(repo, ['for-each-ref'])).rejects.toMatchObject({ code: 'PIPE_IN_GIT' });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const waits = unlessItWaits(repo.gitDir, undefined, async (signal) => {
      rmSync(file);
      await once(signal, 'abort');
      return { code: null, signal: 'SIGKILL', stdout: '', stderr: '', ms: 0, timedOut: false, truncated: false };
    });
    await Promise.all([expect(waits).rejects.toMatchObject({ code: 'PIPE_IN_GIT', hint: `rm ${file}` }), vi.advanceTimersByTimeAsync(200)]);
  } finally {
    vi.useRealTimers();
  }
  expect(await tryGit(repo, ['for-each-ref'])).toMatchObject({ code: 0 });
});

describe('a named pipe below .git', () => {
  it.each(['refs/heads/side', 'refs/remotes/origin/main', 'refs/heads/furrow/p/ada/1', 'packed-refs'])(
    'as %s is named by the git that waits at it',
    async (name) => {
      await using repo = await gitRepo();
      const file = pipe(repo, name);
      expect(waitingFiles(repo.gitDir)).toEqual([{ path: file, what: 'a named pipe' }]);
      await expect(tryGit(repo, ['for-each-ref'])).rejects.toMatchObject({ code: 'PIPE_IN_GIT', hint: `rm ${file}` });
    },
  );

  it('that is known is named at once, without a git for it, until it is gone', async () => {
    await using repo = await gitRepo();
    const file = pipe(repo, 'packed-refs');
    await expect(tryGit(repo, ['for-each-ref'])).rejects.toMatchObject({ code: 'PIPE_IN_GIT' });
    let started = 0;
    logExec(() => void started++);
    for (let n = 0; n < 20; n++) await expect(tryGit(repo, ['for-each-ref'])).rejects.toMatchObject({ code: 'PIPE_IN_GIT' });
    expect(started).toBe(0);
    rmSync(file);
    expect(await tryGit(repo, ['for-each-ref'])).toMatchObject({ code: 0 });
    logExec(() => {});
  });

  it('as HEAD is named by the git that lists the settings of the person, too', async () => {
    await using repo = await gitRepo();
    const file = pipe(repo, 'HEAD');
    await expect(personSettings({ GIT_DIR: repo.gitDir })).rejects.toMatchObject({ code: 'PIPE_IN_GIT', hint: `rm ${file}` });
  });

  it('that is put away while a git waits at it keeps that git no longer than any other', async () => {
    await using repo = await gitRepo();
    const file = pipe(repo, 'refs/furrow/x');
    let pid = 0;
    const waits = tryGit(repo, ['for-each-ref', 'refs/'], {
      onSpawn: (its) => {
        pid = its;
      },
    });
    // It sleeps: it has come to the pipe, because a git that works does not.
    await expect.poll(() => pid > 0 && readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2]).toBe('S');
    expect((await clearOwnRefs(repo)).map(({ path }) => path)).toEqual([file]);
    await expect(waits).rejects.toMatchObject({ code: 'PIPE_IN_GIT' });
  });

  it('in the place of an agent’s branch ends no git that does not come by', async () => {
    await using repo = await gitRepo();
    pipe(repo, 'refs/heads/furrow/p/ada/1');
    await expect(tryGit(repo, ['for-each-ref'])).rejects.toMatchObject({ code: 'PIPE_IN_GIT' });
    expect(await tryGit(repo, ['rev-parse', 'HEAD'])).toMatchObject({ code: 0 });
  });

  it('among the refs of furrow goes to the trash, and any other stays where it is', async () => {
    await using repo = await gitRepo();
    const ours = ['refs/heads/furrow/p/ada/1', 'refs/furrow/head/main', 'refs/furrow/x'].map((name) => pipe(repo, name));
    const theirs = pipe(repo, 'refs/tags/v1');
    expect((await clearOwnRefs(repo)).map(({ path }) => path).sort()).toEqual(ours.sort());
    expect(waitingFiles(repo.gitDir)).toEqual([{ path: theirs, what: 'a named pipe' }]);
    expect(await listRefs(repo, 'refs/furrow/')).toEqual([]);
  });

  it.each(['HEAD', 'config', 'packed-refs', 'commondir'])('as %s keeps no command waiting that runs without git', async (name) => {
    await using repo = await gitRepo();
    pipe(repo, name);
    findRoot(repo.root);
    assertNoBranchFile(repo.gitDir);
    expect(waitingFiles(repo.gitDir)).toHaveLength(1);
  });

  it('is found behind a link, and as a device or a loose object; a folder, a socket and a link to a file keep nobody waiting', async () => {
    await using repo = await gitRepo();
    const file = pipe(repo, 'objects/ab/cdef');
    symlinkSync(file, join(repo.gitDir, 'refs/heads/behind'));
    symlinkSync('/dev/zero', join(repo.gitDir, 'shallow'));
    symlinkSync('main', join(repo.gitDir, 'refs/heads/link'));
    symlinkSync('nowhere', join(repo.gitDir, 'refs/heads/dangling'));
    expect(
      waitingFiles(repo.gitDir)
        .map(({ path, what }) => `${path.slice(repo.gitDir.length + 1)} ${what}`)
        .sort(),
    ).toEqual(['refs/heads/behind a named pipe', 'shallow a device']);
    expect(waitingFiles(repo.gitDir, true)).toHaveLength(3);
  });
});
