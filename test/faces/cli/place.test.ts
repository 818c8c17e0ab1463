import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { branchHere, findRoot, isOurs, placeFrom, socketPath } from '../../../src/api/place.ts';
import { findRepo } from '../../../src/platform/git/repository.ts';
import { folder, git, repository } from './stub.ts';

describe('the repository of a folder', () => {
  it('is found from its root, from below, from inside .git and through a link', async () => {
    await using repo = await repository();
    const below = join(repo.root, 'a', 'b');
    mkdirSync(below, { recursive: true });
    symlinkSync(below, join(repo.root, 'link'));
    for (const from of [repo.root, below, join(repo.root, '.git', 'refs'), join(repo.root, 'link')]) {
      expect(findRoot(from)?.root, from).toBe(repo.root);
    }
  });

  it('is the main checkout for every worktree, also for one below .furrow', async () => {
    await using repo = await repository();
    const inside = join(repo.root, '.furrow', 'worktrees', 'default', 'ada');
    git(repo.root, 'worktree', 'add', '--quiet', '-b', 'side', inside);
    mkdirSync(join(inside, 'src'));
    const place = findRoot(join(inside, 'src'));
    expect(place).toMatchObject({ root: repo.root, gitDir: join(repo.root, '.git') });
    expect(branchHere(place!)).toBe('side');
    expect(branchHere(findRoot(repo.root)!)).toBe('main');
  });

  it('is still the main checkout when a worktree below .furrow has lost its .git', async () => {
    await using repo = await repository();
    const inside = join(repo.root, '.furrow', 'worktrees', 'default', 'ada');
    git(repo.root, 'worktree', 'add', '--quiet', '-b', 'side', inside);
    rmSync(join(inside, '.git'));
    expect(findRoot(inside)?.root).toBe(repo.root);
  });

  it('is the submodule inside a submodule', async () => {
    await using repo = await repository();
    await using other = await repository();
    git(repo.root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', other.root, 'part');
    expect(findRoot(join(repo.root, 'part'))?.root).toBe(join(repo.root, 'part'));
  });

  it('has no branch when HEAD is detached', async () => {
    await using repo = await repository();
    git(repo.root, 'checkout', '--quiet', '--detach');
    expect(branchHere(findRoot(repo.root)!)).toBeUndefined();
  });

  it('is the submodule for a worktree of it', async () => {
    await using repo = await repository();
    await using other = await repository();
    git(repo.root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', other.root, 'part');
    git(join(repo.root, 'part'), 'worktree', 'add', '--quiet', '--detach', join(repo.root, 'second'));
    expect(findRoot(join(repo.root, 'second'))?.root).toBe(join(repo.root, 'part'));
  });

  it('is, for a worktree of a git folder kept apart, where its farm was, if that leads back', async () => {
    await using repo = await repository();
    const [main, second, apart] = ['there', 'second', 'apart'].map((name) => join(repo.root, name)) as [string, string, string];
    git(repo.root, 'init', '--quiet', `--separate-git-dir=${apart}`, main);
    git(main, '-c', 'user.name=T', '-c', 'user.email=t@e', 'commit', '--quiet', '--allow-empty', '-m', 'start');
    git(main, 'worktree', 'add', '--quiet', second);
    expect(() => placeFrom(second)).toThrow(expect.objectContaining({ code: 'BARE_REPOSITORY', hint: 'run furrow in the main checkout' }));
    mkdirSync(join(apart, 'furrow.run'));
    const says = (root: unknown) => writeFileSync(join(apart, 'furrow.run', 'farm.json'), JSON.stringify({ root }));
    says(main);
    expect(findRoot(second)).toMatchObject({ root: main, gitDir: apart });
    expect((await findRepo(second)).root).toBe(main);
    for (const other of [repo.root, second, join(main, 'below'), '/nowhere', 7]) {
      says(other);
      expect(findRoot(second), String(other)).toBeUndefined();
      await expect(findRepo(second)).rejects.toMatchObject({ code: 'BARE_REPOSITORY' });
    }
  });

  it('is none for a bare repository, for its worktrees, and for a folder that only looks like one', async () => {
    await using repo = await repository();
    const bare = join(repo.root, 'bare.git');
    git(repo.root, 'clone', '--quiet', '--bare', repo.root, bare);
    git(bare, 'worktree', 'add', '--quiet', join(repo.root, 'tree'), 'main');
    expect(findRoot(join(repo.root, 'tree'))).toBeUndefined();
    const fake = folder();
    mkdirSync(join(fake, '.git'));
    expect(findRoot(fake)).toBeUndefined();
    expect(() => placeFrom(join(fake, 'nowhere'))).toThrow(expect.objectContaining({ code: 'NOT_A_REPOSITORY' }));
    rmSync(fake, { recursive: true });
  });
});

describe("the daemon's socket", () => {
  it('lies in the repository, or for a long path at a short one that depends on the root alone', () => {
    expect(socketPath('/home/ada/project')).toBe('/home/ada/project/.furrow/run/daemon.sock');
    const long = `/home/${'x'.repeat(90)}`;
    expect(Buffer.byteLength(socketPath(long))).toBeLessThanOrEqual(100);
    expect(socketPath(long)).toBe(socketPath(long));
    expect(socketPath(long)).not.toBe(socketPath(`${long}y`));
    expect(socketPath(`/home/${'é'.repeat(45)}`)).toMatch(/^\/tmp\/furrow-/);
  });

  it('is trusted only in a folder of ours that nobody else may write to', () => {
    const home = folder();
    const socket = join(home, 'run', 'daemon.sock');
    expect(isOurs(socket)).toBe(false);
    mkdirSync(join(home, 'run'), { mode: 0o700 });
    expect(isOurs(socket)).toBe(true);
    chmodSync(join(home, 'run'), 0o777);
    expect(isOurs(socket)).toBe(false);
    rmSync(join(home, 'run'), { recursive: true });
    symlinkSync('/tmp', join(home, 'run'));
    expect(isOurs(socket)).toBe(false);
    writeFileSync(join(home, 'file'), '');
    expect(isOurs(join(home, 'file', 'daemon.sock'))).toBe(false);
    rmSync(home, { recursive: true });
  });
});
