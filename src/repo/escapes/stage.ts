import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exec } from '../../platform/exec.ts';
import { inWorktree, linkedAt } from '../../platform/git/admin.ts';
import { register } from '../../platform/git/register.ts';
import { initRepo } from '../../platform/git/repository.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { agentMounts } from '../fence/agent.ts';
import type { Fence } from '../fence/bwrap.ts';
import { LEADING_OUT } from '../fence/home-paths.ts';
import { gitEnvironment, openFence } from '../fence/open.ts';
import { makeOwnGit, ownGitAt } from '../fence/own-git.ts';
import { loginWithKey } from './keyring.ts';
import { listeners, netSocketOf } from './listeners.ts';
import { differences, lookOutside } from './outside.ts';
import { placesIn, type StagePlaces } from './places.ts';
import { watchOwn } from './watch-own-files.ts';

const BRANCH = 'furrow/p/ada/1';

/**
 * A small farm: a checkout, two agents, a slot, a home with secrets, sockets, and a process outside. The agent must reach none of the
 * others' things.
 */
export interface Stage extends AsyncDisposable {
  readonly secret: string;
  readonly fence: Fence;
  /** Looks at the machine again, for an agent or for a check. */
  fenceOf(who: 'agent' | 'check'): Promise<Fence>;
  readonly env: Readonly<Record<string, string>>;
  /** Words in front of the fence: a login with a key. None where the machine has no keyrings. */
  readonly login: readonly string[];
  /** The agent's worktree, and a folder that it may write. */
  readonly own: string;
  readonly folder: string;
  /** The changes outside since the last look, one line each. */
  changes(): string[];
  /** Restores everything that the agent may ruin. */
  restore(): void;
}

/** `below`: the folder that it is made in; the one for temporary files if left out. */
export async function openStage(level: 'guard' | 'strict' = 'guard', below = tmpdir()): Promise<Stage> {
  const base = await realpath(await mkdtemp(join(below, 'furrow-escapes-')));
  const secret = `secret-${randomBytes(8).toString('hex')}`;
  const places = placesIn(base);
  await writeFiles(places, secret);
  const repo: Repo = { root: places.root, gitDir: join(places.root, '.git') };
  await makeRepository(repo, places, secret);
  const strict = level === 'strict';
  const outside = await listeners(places, secret, strict);
  const env = { ...environment(places, repo), ...outside.env };
  const fenceOf = (who: 'agent' | 'check') => fenceFor(repo, places, env, who, strict);
  const fence = await fenceOf('agent');
  const own = await watchOwn(places);
  const beside = [places.temp, places.shm, `${places.shm}.planted`, places.longTemp, places.systemRun];
  const look = () => lookOutside([base, ...beside], ...own.bounds());
  let before = look();
  return {
    ...{ secret, fence, fenceOf, env, own: places.own, folder: places.folder, login: await loginWithKey(env, secret) },
    restore: () => own.restore(),
    changes() {
      const now = look();
      const found = differences(before, now);
      before = now;
      return [...found, ...outside.heard()];
    },
    async [Symbol.asyncDispose]() {
      await outside.end();
      for (const path of [base, ...beside]) await rm(path, { recursive: true, force: true });
    },
  };
}

async function writeFiles(at: StagePlaces, secret: string): Promise<void> {
  const home = {
    ...{ '.ssh/id': secret, '.aws/credentials': secret, '.netrc': secret, '.config/furrow/trust': secret, '.npm/x': '' },
    '.npmrc': `registry=https://registry.example/\n//registry.example/:_authToken=${secret}\n`,
    '.gitconfig': `[user]\n\tname = Ada\n\temail = ada@localhost\n[url "https://ada:${secret}@example.org/"]\n\tinsteadOf = x:\n`,
    '.local/bin/tool': '#!/bin/sh\nexit 0\n',
  };
  const files: Record<string, string> = {
    ...Object.fromEntries(Object.entries(home).map(([name, text]) => [join(at.home, name), text])),
    ...{ [join(at.root, '.env')]: secret, [join(at.root, '.furrow/store.db')]: secret, [join(at.root, '.furrow/logs/daemon.log')]: secret },
    ...{ [join(at.root, '.furrow/homes/bob/own/login')]: secret, [join(at.run, 'a2.prompt.md')]: secret, [join(at.run, 'exits/.x')]: '' },
    ...{ [at.prompt]: 'a task', [join(at.bin, 'furrow')]: '#!/bin/sh\nexit 0\n', [join(at.slot, 'secret.txt')]: secret },
    ...{ [join(at.out, 'file')]: 'as it was', [at.temp]: secret, [at.shm]: secret },
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  // Not everybody may write there.
  for (const path of [at.longTemp, at.systemRun]) await writeFile(path, secret).catch(() => {});
  for (const folder of [at.folder, at.door, at.otherDoor, at.ownHome, at.temporary]) await mkdir(folder, { recursive: true });
  for (const program of [join(at.bin, 'furrow'), join(at.home, '.local/bin/tool')]) await chmod(program, 0o755);
  await exec(['mkfifo', join(at.run, 'bob.pipe')], { env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }, timeoutMs: 5000 });
}

async function makeRepository(repo: Repo, at: StagePlaces, secret: string): Promise<void> {
  await initRepo(repo);
  for (const name of ['hooks', 'info', 'modules', 'furrow.run']) await mkdir(join(repo.gitDir, name), { recursive: true });
  await writeFile(join(repo.gitDir, 'description'), 'as it was');
  await writeFile(join(at.root, 'tracked.txt'), 'tracked\n');
  await git(repo, ['add', 'tracked.txt']);
  const ada = ['-c', 'user.name=Ada', '-c', 'user.email=ada@localhost'];
  await git(repo, [...ada, 'commit', '-q', '-m', 'first']);
  await git(repo, ['repack', '-a', '-d', '-q']);
  await git(repo, ['update-ref', 'refs/furrow/epoch', 'HEAD']);
  await nameFolders(repo, at);
  for (const [branch, path] of [
    [BRANCH, at.own],
    ['furrow/p/bob/1', at.other],
  ] as const) {
    const linked = await register(repo, path, { head: `ref: refs/heads/${branch}` });
    await git(repo, ['checkout', '-q', '-f', '-B', branch, 'main', '--'], inWorktree(repo, linked));
  }
  await git(repo, ['pack-refs', '--all', '--no-prune']);
  // The branch of the agent has a commit beside main, so that moving main to it is seen.
  const commit = await git(repo, [...ada, 'commit-tree', '-p', 'HEAD', '-m', 'second', 'HEAD^{tree}']);
  await git(repo, ['update-ref', `refs/heads/${BRANCH}`, commit]);
  await writeFile(join(at.other, 'secret.txt'), secret);
}

/** Makes the repository name folders and files of the person's, by its configuration and by a link. */
async function nameFolders(repo: Repo, at: StagePlaces): Promise<void> {
  const set = ['config', '--file', join(repo.gitDir, 'config')];
  for (const [key, path] of Object.entries({ 'lfs.storage': '.ssh', 'core.excludesFile': '.netrc', 'core.hooksPath': '.aws' }))
    await git(repo, [...set, key, join(at.home, path)]);
  await git(repo, [...set, 'filter.lfs.process', 'git-lfs filter-process']);
  await symlink(join(at.home, '.ssh'), join(repo.gitDir, 'lfs'));
}

function environment(at: StagePlaces, repo: Repo): Record<string, string> {
  const path = process.env['PATH'] ?? '/usr/bin:/bin';
  return {
    PATH: `${at.bin}:${join(at.home, '.local/bin')}:${path}`,
    ...{ HOME: at.home, LC_ALL: 'C', TMPDIR: at.temporary, NODE: process.execPath, BRANCH },
    ...{ ROOT: at.root, GIT: repo.gitDir, OWN: at.own, OTHER: at.other, SLOT: at.slot, OUT: at.out, TEMP: at.temp, SHM: at.shm },
    ...{ LONG_TEMP: at.longTemp, SYSTEM_RUN: at.systemRun, PROMPT: at.prompt, OWN_HOME: at.ownHome },
    ...{ ADMIN: join(repo.gitDir, 'worktrees', 'ada'), FOLDER: at.folder },
    ...Object.fromEntries(LEADING_OUT.map((name) => [name, 'somewhere'])),
    ...gitEnvironment({}),
  };
}

async function fenceFor(repo: Repo, at: StagePlaces, env: Record<string, string>, who: 'agent' | 'check', strict: boolean): Promise<Fence> {
  const linked = await linkedAt(repo, at.own);
  if (!linked) throw new Error('git made no worktree');
  const { XDG_RUNTIME_DIR: _nowhere, ...known } = env;
  const own = ownGitAt(at.ownGit);
  await makeOwnGit(repo, linked, own);
  const network = { socket: netSocketOf(at), ports: [Number(env['PORT_ALLOWED'])] };
  return openFence({
    ...{ repo, linked, env: known, kept: at.kept },
    ...(who === 'agent' && { own }),
    ...(strict && { strict: who === 'agent' ? { network } : {} }),
    ours: [at.root, at.work, join(at.home, '.config', 'furrow')],
    mounts: who === 'agent' ? agentMounts({ ...at, given: [], own: at.ownHome }) : [],
    ...{ programs: ['git'], read: [at.out], write: [], passed: [] },
  });
}
