import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { inWorktree, linkedAt } from '../../../src/platform/git/admin.ts';
import { withRepo } from '../../../src/platform/git/mutex.ts';
import { createRef, moveRef, resolve } from '../../../src/platform/git/refs.ts';
import { register } from '../../../src/platform/git/register.ts';
import { findRepo, identityOf } from '../../../src/platform/git/repository.ts';
import { git, tryGit } from '../../../src/platform/git/run.ts';
import { userConfig } from '../../../src/platform/git/user.ts';
import { userFolder } from '../../../src/platform/user-folder.ts';
import { gitRepo, type TestRepo } from './repo.ts';

/** Sets it in the repository's own file; what a person would not do by hand, an archive can bring. */
const set = (repo: TestRepo, key: string, value: string) => repo.sh(['config', '--file', join(repo.gitDir, 'config'), '--add', key, value]);

describe('git of ours, by its own door', () => {
  it('asks nobody for an object that is missing, whatever remote the repository names', async () => {
    await using repo = await gitRepo();
    const canary = join(repo.gitDir, 'CANARY');
    const blob = repo.sh(['rev-parse', 'HEAD:src/a.txt']);
    for (const [key, value] of [
      ['core.repositoryFormatVersion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.url', `ext::sh -c touch% ${canary}`],
      ['protocol.ext.allow', 'always'],
      ['protocol.allow', 'always'],
    ] as const)
      set(repo, key, value);
    rmSync(join(repo.gitDir, 'objects', blob.slice(0, 2), blob.slice(2)));
    for (const args of [
      ['cat-file', '-p', blob],
      ['status', '--porcelain'],
      ['diff', 'HEAD'],
      ['fsck'],
      ['checkout', '-f', 'HEAD', '--', 'src'],
    ])
      await tryGit(repo, args);
    expect(existsSync(canary)).toBe(false);
    expect((await tryGit(repo, ['cat-file', '-p', blob])).code, 'a missing object is an error').not.toBe(0);
    execFileSync('sh', ['-c', `git -C '${repo.root}' cat-file -p ${blob} 2>/dev/null; :`]);
    expect(existsSync(canary), 'git of a person asks that remote').toBe(true);
  });

  it.each(['onbranch:other', 'gitdir:**', 'hasconfig:remote.*.url:x:*'])('runs no filter that is included by %s', async (condition) => {
    await using repo = await gitRepo();
    const [canary, more] = [join(repo.gitDir, 'CANARY'), join(repo.gitDir, 'more')];
    for (const what of ['clean', 'smudge', 'process']) repo.sh(['config', '--file', more, `filter.x.${what}`, `touch '${canary}'; cat`]);
    set(repo, 'remote.origin.url', 'x:y');
    set(repo, `includeIf.${condition}.path`, more);
    writeFileSync(join(repo.root, '.gitattributes'), '*.txt filter=x\n');
    await git(repo, ['status', '--porcelain']);
    // No file of the configuration changes by this.
    await git(repo, ['symbolic-ref', 'HEAD', 'refs/heads/other']);
    writeFileSync(join(repo.root, 'src/a.txt'), 'other\n');
    await git(repo, ['add', '-A']);
    await git(repo, ['checkout', '-f', 'main', '--', 'src']);
    expect(existsSync(canary)).toBe(false);
  });

  it('runs no filter without a name', async () => {
    await using repo = await gitRepo();
    const canary = join(repo.gitDir, 'CANARY');
    writeFileSync(join(repo.gitDir, 'config'), `${readFileSync(join(repo.gitDir, 'config'))}[filter ""]\n\tclean = touch ${canary}; cat\n`);
    writeFileSync(join(repo.root, '.gitattributes'), '*.txt filter=\n');
    writeFileSync(join(repo.root, 'src/a.txt'), 'other\n');
    await git(repo, ['add', '-A']);
    expect(existsSync(canary)).toBe(false);
    expect((await userConfig(repo)).filters.has(''), 'and furrow knows of it').toBe(true);
  });

  it('refuses a configuration of which it cannot see the end', async () => {
    await using repo = await gitRepo();
    const bomb = (n: number) => join(repo.gitDir, `bomb${n}`);
    for (let n = 0; n < 9; n++) writeFileSync(bomb(n), `[include]\n\tpath = ${bomb(n + 1)}\n`.repeat(9));
    set(repo, 'include.path', bomb(0));
    await expect(tryGit(repo, ['status'])).rejects.toMatchObject({ code: 'GIT_CONFIG' });
    rmSync(bomb(0));
    execFileSync('mkfifo', [bomb(0)]);
    await expect(tryGit(repo, ['status'])).rejects.toMatchObject({ code: 'GIT_CONFIG' });
    writeFileSync(join(repo.gitDir, 'config'), '[core\n');
    await expect(tryGit(repo, ['status'])).rejects.toMatchObject({ code: 'GIT_CONFIG' });
  });

  it('excludes the gits of people, and they it: locks, refs and indexes are the same files', async () => {
    await using repo = await gitRepo();
    const head = repo.sh(['rev-parse', 'HEAD']);
    repo.sh(['pack-refs', '--all']);
    await createRef(repo, 'refs/furrow/x', head);
    expect(repo.sh(['rev-parse', 'refs/furrow/x'])).toBe(head);
    writeFileSync(join(repo.gitDir, 'refs/furrow/x.lock'), '');
    await expect(moveRef(repo, { ref: 'refs/furrow/x', to: repo.sh(['rev-parse', 'HEAD']), from: head })).rejects.toThrow(/lock/);
    rmSync(join(repo.gitDir, 'refs/furrow/x.lock'));
    await git(repo, ['pack-refs', '--all']);
    await git(repo, ['update-ref', '-d', 'refs/furrow/x', head]);
    expect(repo.sh(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main');
    expect((await tryGit(repo, ['branch', '-D', 'main'])).stderr, 'a branch that is checked out').toContain('main');
    writeFileSync(join(repo.root, 'new.txt'), 'new\n');
    await git(repo, ['add', 'new.txt']);
    expect(repo.sh(['status', '--porcelain'])).toBe('A  new.txt');
  });

  it('stands in the user’s own folder, and is made again when somebody has tidied there', async () => {
    await using repo = await gitRepo();
    const before = readdirSync(repo.gitDir).sort();
    const { door } = await userConfig(repo);
    expect(dirname(dirname(door))).toBe(userFolder());
    rmSync(door, { recursive: true });
    await git(repo, ['status']);
    expect(existsSync(door)).toBe(true);
    expect(readdirSync(repo.gitDir).sort(), 'nothing of it is in the repository').toEqual(before);
  });

  it('stands in a temporary folder where the user has none', async () => {
    await using repo = await gitRepo();
    vi.stubEnv('XDG_CONFIG_HOME', '/dev/null/none');
    set(repo, 'some.key', 'changed');
    expect(await git(repo, ['rev-parse', 'HEAD'])).toBe(repo.sh(['rev-parse', 'HEAD']));
    expect((await userConfig(repo)).door).toContain('furrow-door-');
  });
});

describe('what counts of the configuration', () => {
  it('of the repository: keys that change bytes or status, by name and with a known value', async () => {
    await using repo = await gitRepo();
    for (const [key, value] of Object.entries({
      'core.autocrlf': 'input',
      'core.eol': '$(id)',
      'core.fileMode': 'false',
      'core.pager': 'x',
      'core.sharedRepository': '0770',
    }))
      repo.sh(['config', key, value]);
    const { flags, repositoryFlags } = await userConfig(repo);
    expect(flags.slice(1)).toEqual(['core.autocrlf=input']);
    expect(repositoryFlags).toEqual(['core.filemode=false', 'core.logallrefupdates=true', 'core.sharedrepository=0770']);
  });

  it('a path that leads out of the repository counts only in the person’s own file', async () => {
    await using repo = await gitRepo();
    const home = join(repo.gitDir, 'home');
    mkdirSync(home);
    vi.stubEnv('GIT_CONFIG_GLOBAL', join(home, 'config'));
    vi.stubEnv('XDG_CONFIG_HOME', home);
    for (const key of ['clean', 'smudge']) set(repo, `filter.lfs.${key}`, `git-lfs ${key} -- %f`);
    const config = () => userConfig(repo);
    expect((await config()).lfs?.storage).toBe(join(repo.gitDir, 'lfs'));
    for (const [key, value] of Object.entries({
      'lfs.storage': '/root/.ssh',
      'core.excludesFile': '/etc/shadow',
      'core.hooksPath': '/root/.ssh',
    }))
      set(repo, key, value);
    expect(await config()).toMatchObject({
      lfs: { storage: join(repo.gitDir, 'lfs') },
      excludesFile: join(home, 'git/ignore'),
      hooksPath: undefined,
    });
    for (const value of ['../../elsewhere', 'out']) {
      symlinkSync('/etc', join(repo.gitDir, 'out'), 'dir');
      set(repo, 'lfs.storage', value);
      expect((await config()).lfs?.storage, value).toBe(join(repo.gitDir, 'lfs'));
      rmSync(join(repo.gitDir, 'out'));
    }
    repo.sh(['config', '--unset-all', 'lfs.storage']);
    symlinkSync('/root', join(repo.gitDir, 'lfs'), 'dir');
    set(repo, 'some.key', 'again');
    expect((await config()).lfs, 'a link that came with the repository').toBeUndefined();
    rmSync(join(repo.gitDir, 'lfs'));
    for (const [key, value] of Object.entries({
      'lfs.storage': '/data/lfs',
      'core.excludesFile': '~/ignored',
      'core.hooksPath': '/data/hooks',
    }))
      repo.sh(['config', '--file', join(home, 'config'), key, value]);
    expect(await config()).toMatchObject({ lfs: { storage: '/data/lfs' }, hooksPath: '/data/hooks' });
    expect((await config()).excludesFile).toMatch(/^\/.*\/ignored$/);
  });

  it('of the person’s own files, conditions on the folder and on the addresses hold as for their own git', async () => {
    await using repo = await gitRepo();
    const file = join(repo.gitDir, 'person');
    vi.stubEnv('GIT_CONFIG_GLOBAL', file);
    writeFileSync(join(repo.gitDir, 'work'), '[user]\n\tname = Ada\n');
    writeFileSync(join(repo.gitDir, 'mail'), '[user]\n\temail = ada@work\n');
    writeFileSync(
      file,
      `[includeIf "gitdir:${repo.root}/"]\n\tpath = ${join(repo.gitDir, 'work')}\n[includeIf "hasconfig:remote.*.url:https://work/**"]\n\tpath = ${join(repo.gitDir, 'mail')}\n`,
    );
    repo.sh(['config', 'remote.origin.url', 'https://work/x']);
    expect(await identityOf(repo)).toEqual({ name: 'Ada', email: 'ada@work' });
  });
});

describe('a worktree of ours', () => {
  it('is one for the person’s own git, with the usual paths', async () => {
    await using repo = await gitRepo();
    const path = join(repo.root, '.furrow/w');
    const linked = await withRepo(repo, () => register(repo, path, { head: 'ref: refs/heads/x' }));
    await git(repo, ['checkout', '-q', '-f', '-B', 'x', 'main', '--'], inWorktree(repo, linked));
    expect(readFileSync(join(path, '.git'), 'utf8')).toBe(`gitdir: ${join(repo.gitDir, 'worktrees/w')}\n`);
    expect(repo.sh(['worktree', 'list', '--porcelain'])).toContain(`worktree ${path}\n`);
    expect(repo.sh(['status', '--porcelain', '--branch'], path)).toBe('## x');
    expect(repo.sh(['worktree', 'prune', '--verbose'])).toBe('');
    repo.sh(['worktree', 'remove', path]);
    expect(await linkedAt(repo, path)).toBeUndefined();
  });

  it('has a number behind its name when another one is called so', async () => {
    await using repo = await gitRepo();
    const head = repo.sh(['rev-parse', 'HEAD']);
    for (const folder of ['a', 'b']) await withRepo(repo, () => register(repo, join(repo.root, '.furrow', folder, 'w'), { head }));
    expect(readdirSync(join(repo.gitDir, 'worktrees')).sort()).toEqual(['w', 'w1']);
    await expect(register(repo, join(repo.root, 'src'), { head })).rejects.toMatchObject({ code: 'WORKTREE_TAKEN' });
  });

  it('is as sparse as the checkout', async () => {
    await using repo = await gitRepo();
    repo.sh(['sparse-checkout', 'set', '--no-cone', '/src/']);
    const path = join(repo.root, '.furrow/w');
    const linked = await withRepo(repo, () => register(repo, path, { head: 'ref: refs/heads/x', sparse: true }));
    await git(repo, ['checkout', '-q', '-f', '-B', 'x', 'main', '--'], inWorktree(repo, linked));
    expect(readdirSync(path).sort()).toEqual(
      readdirSync(repo.root)
        .filter((name) => name !== '.furrow')
        .sort(),
    );
    expect(repo.sh(['status', '--porcelain'], path)).toBe('');
    expect(await git(repo, ['status', '--porcelain'])).toBe('');
  });
});

describe('a repository of another shape', () => {
  const commit = (path: string) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd: path });
  const init = (path: string, ...more: string[]) => execFileSync('git', ['init', '-q', '-b', 'main', ...more, path]);

  it.each([
    ['with a git folder kept apart', (base: string) => init(join(base, 'r'), `--separate-git-dir=${join(base, 'apart')}`)],
    ['of sha256', (base: string) => init(join(base, 'r'), '--object-format=sha256')],
    [
      'with a relative .git file',
      (base: string) => {
        init(join(base, 'r'), `--separate-git-dir=${join(base, 'apart')}`);
        writeFileSync(join(base, 'r/.git'), 'gitdir: ../apart\n');
      },
    ],
  ])('%s is found, read and written', async (_what, make) => {
    await using outer = await gitRepo();
    const base = join(outer.root, 'src');
    make(base);
    const path = join(base, 'r');
    commit(path);
    const repo = await findRepo(path);
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: path, encoding: 'utf8' }).trim();
    expect(repo.root).toBe(path);
    expect(await resolve(repo, 'HEAD')).toBe(head);
    writeFileSync(join(path, 'x'), 'x\n');
    expect(await git(repo, ['status', '--porcelain'])).toBe('?? x');
    await createRef(repo, 'refs/furrow/x', head);
    const linked = await withRepo(repo, () => register(repo, join(base, 'w'), { head }));
    expect(await git(repo, ['rev-parse', 'HEAD'], inWorktree(repo, linked))).toBe(head);
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: join(base, 'w'), encoding: 'utf8' })).toBe('');
  });

  it('as a submodule is found from its checkout and from a worktree of it', async () => {
    await using outer = await gitRepo();
    const part = join(outer.root, '.git', 'part');
    init(part);
    commit(part);
    outer.sh(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', part, 'part']);
    const repo = await findRepo(join(outer.root, 'part'));
    expect(repo).toEqual({ root: join(outer.root, 'part'), gitDir: join(outer.gitDir, 'modules/part') });
    outer.sh(['worktree', 'add', '-q', '--detach', join(outer.root, '.furrow/w')], repo.root);
    expect(await findRepo(join(outer.root, '.furrow/w'))).toEqual(repo);
  });

  it('that names a worktree which does not lead back to it is refused', async () => {
    await using repo = await gitRepo();
    set(repo, 'core.worktree', '/root');
    await expect(findRepo(repo.root)).rejects.toMatchObject({ code: 'FOREIGN_WORKTREE' });
  });

  it('that needs an extension which nobody here knows is refused', async () => {
    await using repo = await gitRepo();
    set(repo, 'extensions.unheardOf', 'true');
    await expect(tryGit(repo, ['status'])).rejects.toMatchObject({ code: 'GIT_EXTENSION' });
  });

  it('as a shallow clone is walked to where it ends', async () => {
    await using repo = await gitRepo();
    repo.sh(['commit', '-q', '--allow-empty', '-m', 'second']);
    const path = join(repo.gitDir, 'shallow-one');
    execFileSync('git', ['clone', '-q', '--depth=1', `file://${repo.root}`, path]);
    expect(await git(await findRepo(path), ['rev-list', '--count', 'HEAD'])).toBe('1');
  });
});
