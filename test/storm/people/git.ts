import { exec, type Finished } from '../../../src/platform/exec.ts';
import { plainEnv } from '../../support/repo.ts';
import type { World } from './world.ts';

/** Processes with this variable are the person's or the oracle's, and are never killed by the storm. */
export const MARK = 'STORM_PERSON';

/** Not the repository's identity, which landings have: so every commit and reflog line says who made it. */
export const PERSON = 'Pat Person';

const ENV = {
  [MARK]: '1',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
  GIT_AUTHOR_NAME: PERSON,
  GIT_AUTHOR_EMAIL: 'pat@person.invalid',
  GIT_COMMITTER_NAME: PERSON,
  GIT_COMMITTER_EMAIL: 'pat@person.invalid',
  GIT_EDITOR: 'true',
};

/** Git as the person types it, once. */
export function typeGit(world: World, args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  return exec(['git', ...args], {
    cwd: world.repo.root,
    env: { ...plainEnv({ home: world.repo.home }), ...ENV, ...env },
    timeoutMs: 60_000,
  });
}

/** Git as the oracle asks it: takes no lock, changes nothing, and is not at work in the checkout where it can be helped. */
export function lookGit(world: World, args: readonly string[]): Promise<Finished> {
  const { root, home } = world.repo;
  const env = { ...plainEnv({ home }), ...ENV, GIT_OPTIONAL_LOCKS: '0', GIT_DIR: world.gitDir, GIT_WORK_TREE: root };
  return exec(['git', ...args], { cwd: home, env, timeoutMs: 60_000 });
}

export async function tryLook(world: World, ...args: string[]): Promise<string | undefined> {
  const done = await lookGit(world, args);
  return done.code === 0 ? done.stdout.trimEnd() : undefined;
}

export async function look(world: World, ...args: string[]): Promise<string> {
  const done = await lookGit(world, args);
  if (done.code !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
  return done.stdout.trimEnd();
}

export const lines = (text: string | undefined): string[] => (text ?? '').split('\n').filter(Boolean);
