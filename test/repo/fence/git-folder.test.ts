import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { linkedAt } from '../../../src/platform/git/admin.ts';
import { register } from '../../../src/platform/git/register.ts';
import { initRepo } from '../../../src/platform/git/repository.ts';
import { git, type Repo } from '../../../src/platform/git/run.ts';
import { borrowed, settingsFiles } from '../../../src/repo/fence/git-folder.ts';
import { openFence } from '../../../src/repo/fence/open.ts';
import { makeOwnGit, ownGitAt } from '../../../src/repo/fence/own-git.ts';

/** A repository with a worktree, and a home with a key, in which everything else may be put. */
async function stage() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'furrow-git-folder-')));
  const [home, root, worktree] = [join(base, 'home'), join(base, 'repo'), join(base, 'repo.furrow', 'ada')];
  const repo: Repo = { root, gitDir: join(root, '.git') };
  const write = async (path: string, text: string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  await write(join(home, '.ssh', 'id'), 'key');
  await mkdir(root);
  await initRepo(repo);
  await git(repo, ['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first']);
  await git(repo, ['branch', 'furrow/p/ada/1']);
  await register(repo, worktree, { head: 'ref: refs/heads/furrow/p/ada/1' });
  const env = { HOME: home, PATH: process.env['PATH'] ?? '' };
  const own = ownGitAt(join(base, 'own'));
  return {
    ...{ base, home, repo, env, write },
    alternates: (...paths: string[]) => write(join(repo.gitDir, 'objects', 'info', 'alternates'), `${paths.join('\n')}\n`),
    /** Another repository of the person's, with objects. */
    async store(name: string) {
      const other: Repo = { root: join(home, name), gitDir: join(home, name, '.git') };
      await mkdir(other.root, { recursive: true });
      await initRepo(other);
      await git(other, ['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'other']);
      return join(other.gitDir, 'objects');
    },
    /** What a fence shows of the home, for an agent or for a check. */
    async seen(who: 'agent' | 'check') {
      const linked = (await linkedAt(repo, worktree))!;
      await makeOwnGit(repo, linked, own);
      const fence = await openFence({
        ...{ repo, linked, env, kept: join(base, 'kept'), ours: [root], mounts: [], programs: [], read: [], write: [], passed: [] },
        ...(who === 'agent' && { own }),
      });
      return [...fence.opened, ...fence.mounts].flatMap(({ from, to = from, write: w }) =>
        from.startsWith(home) ? [`${w ? 'write ' : ''}${from.slice(home.length + 1)} at ${to.slice(base.length + 1)}`] : [],
      );
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}

it('objects that the repository borrows are seen, and those that they are borrowed from in turn', async () => {
  await using at = await stage();
  const [first, second] = [await at.store('first'), await at.store('second')];
  await at.write(join(first, 'info', 'alternates'), `${second}\n`);
  await at.alternates('# a note', '../../../home/first/.git/objects', join(at.home, 'nothing'));
  expect(borrowed(at.repo.gitDir, at.env)).toEqual([{ from: first }, { from: second }]);
});

it.each([
  ['keys', '.ssh'],
  ['the home itself', '.'],
  ["furrow's own folder", '.config/furrow'],
  ['a folder of files beside objects', 'mixed'],
  ['a file', '.ssh/id'],
  ['a store of objects among keys', '.password-store/.git/objects'],
  ['a link to keys', 'link'],
])('%s cannot be borrowed: no fence is opened', async (_what, name) => {
  await using at = await stage();
  await at.write(join(at.home, '.config', 'furrow', 'pack', 'x'), 'secret');
  await at.write(join(at.home, 'mixed', 'pack', 'x'), 'secret');
  await at.write(join(at.home, 'mixed', 'secret'), 'secret');
  await at.store('.password-store');
  await symlink('.ssh', join(at.home, 'link'));
  await at.alternates(join(at.home, name));
  for (const who of ['agent', 'check'] as const)
    await expect(at.seen(who), who).rejects.toMatchObject({ code: 'NO_FENCE', message: expect.stringContaining('no object store') });
});

it('a link in the git folder shows nothing of where it leads', async () => {
  await using at = await stage();
  for (const name of ['hooks', 'modules', 'lfs', 'furrow.run']) {
    await rm(join(at.repo.gitDir, name), { recursive: true, force: true });
    await symlink(join(at.home, '.ssh'), join(at.repo.gitDir, name));
  }
  for (const who of ['agent', 'check'] as const) expect(await at.seen(who), who).toEqual([]);
});

it("the repository's own configuration opens no folder of keys", async () => {
  await using at = await stage();
  for (const [key, value] of Object.entries({
    'filter.lfs.process': 'git-lfs filter-process',
    'lfs.storage': join(at.home, '.ssh'),
    'core.excludesFile': join(at.home, '.ssh', 'id'),
    'core.hooksPath': join(at.home, '.ssh'),
  }))
    await git(at.repo, ['config', '--file', join(at.repo.gitDir, 'config'), key, value]);
  expect(await settingsFiles(at.repo, [at.home], at.env)).toEqual([]);
  for (const who of ['agent', 'check'] as const) expect(await at.seen(who), who).toEqual([]);
});
