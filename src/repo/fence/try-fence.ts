import { lstat, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec } from '../../platform/exec.ts';
import { createRef } from '../../platform/git/refs.ts';
import { register } from '../../platform/git/register.ts';
import { initRepo } from '../../platform/git/repository.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { findOnPath } from '../../platform/on-path.ts';
import { fenceArguments } from './bwrap.ts';
import type { FenceSupport } from './level.ts';
import { openFence } from './open.ts';
import { makeOwnGit, OBJECTS, ownGitAt } from './own-git.ts';

const INSTALL = 'apt install bubblewrap, or your system’s equivalent';

const PLANTED = 'planted';

/** The meanings of the exit codes of the try-out. */
const FOUND: Readonly<Record<number, string>> = {
  3: 'git cannot commit in a fence',
  4: 'a fence does not keep its command from writing outside',
  5: 'a fence can be opened from inside',
  6: 'a fence shows what it is to hide',
};

/**
 * A commit in a linked worktree must work; writing outside, mounting the machine writable and reading hidden files must not. Arguments: a
 * file among the objects of the repository, and the hidden one.
 */
const TRY = `
git -c user.name=probe -c user.email=probe@localhost commit -q --allow-empty -m probe || exit 3
( echo written > "$1" ) 2>/dev/null && exit 4
mount -o remount,rw,bind / 2>/dev/null && exit 5
unshare -Urm mount -o remount,rw,bind / 2>/dev/null && exit 5
cat "$2" 2>/dev/null && exit 6
exit 0
`;

/** Tries a fence on a small repository of its own, in some 100 ms. With `strict` it has no network. */
export async function tryFence(strict = false, env: NodeJS.ProcessEnv = process.env): Promise<FenceSupport> {
  const path = env['PATH'] ?? '/usr/bin:/bin';
  if (process.platform !== 'linux') return no('isolation needs Linux', 'set `isolation: none` in furrow.yaml');
  if (!findOnPath('bwrap', path)) return no('bubblewrap is not installed', INSTALL);
  const place = await realpath(await mkdtemp(join(tmpdir(), 'furrow-fence-')));
  try {
    return await tryOut(place, path, strict);
  } catch (error) {
    return no(`a fence could not be tried (${(error as Error).message})`, 'furrow doctor --sandbox');
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

const no = (why: string, next: string): FenceSupport => ({ works: false, why, next });

async function tryOut(place: string, path: string, strict: boolean): Promise<FenceSupport> {
  const repo: Repo = { root: join(place, 'repo'), gitDir: join(place, 'repo', '.git') };
  const home = join(place, 'home');
  for (const folder of [repo.root, home]) await mkdir(folder);
  const secret = join(home, 'secret');
  await writeFile(secret, 'secret');
  await initRepo(repo);
  const empty = await git(repo, ['mktree'], { input: '' });
  const commit = await git(repo, ['-c', 'user.name=p', '-c', 'user.email=p@localhost', 'commit-tree', '-m', 'probe', empty]);
  const branch = 'furrow/probe/one/1';
  const worktree = join(place, 'home.furrow', 'one');
  await createRef(repo, `refs/heads/${branch}`, commit);
  const linked = await register(repo, worktree, { head: `ref: refs/heads/${branch}` });
  const env = { PATH: path, HOME: home, LC_ALL: 'C' };
  const own = ownGitAt(join(place, 'own'));
  await makeOwnGit(repo, linked, own);
  const fence = await openFence({
    ...{ repo, linked, env, own, kept: join(place, 'kept') },
    ...{ ours: [repo.root, join(place, 'home.furrow')], mounts: [], programs: ['git'], read: [], write: [], passed: [] },
  });
  const [first, ...rest] = [
    ...fenceArguments(strict ? { ...fence, network: 'none' } : fence),
    'sh',
    '-c',
    TRY,
    'sh',
    join(repo.gitDir, OBJECTS, PLANTED),
    secret,
  ];
  const done = await exec([first!, ...rest], { cwd: worktree, env, timeoutMs: 10_000 });
  if (done.code === 0 && !(await lstat(join(repo.gitDir, 'objects', PLANTED)).catch(() => undefined))) return { works: true };
  return refusal(done.code ?? 4, done.stderr.trim().split('\n')[0] ?? '');
}

function refusal(code: number, said: string): FenceSupport {
  const why = FOUND[code];
  if (why) return no(why, 'furrow doctor --sandbox');
  if (/userns|user namespace|Operation not permitted|Permission denied|No permissions/i.test(said))
    return no(
      `bubblewrap may not make user namespaces here (${said})`,
      'sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns',
    );
  return no(`bubblewrap does not work here (${said || `exit ${code}`})`, 'furrow doctor --sandbox');
}
