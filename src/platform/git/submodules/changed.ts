import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Linked } from '../admin.ts';
import { type Repo, tryGit } from '../run.ts';
import { type Filled, filledIn, gitIn, headOf, isPlainWay } from './place.ts';

/**
 * The submodules that furrow filled in a worktree and somebody has worked in since: files, commits or branches. Git looks through a repository of ours, so
 * nothing that an agent wrote into its own is read as configuration.
 */
export async function changedSubmodules(repo: Repo, linked: Linked): Promise<string[]> {
  const all = await filledIn(repo, linked.name);
  const changed = await Promise.all(all.map((one) => isChanged(repo, linked, one)));
  return all.filter((_, at) => changed[at]).map(({ path }) => path);
}

/** Those of them with changed files that no commit of the submodule holds: they are in no commit of the worktree either. */
export async function editedSubmodules(repo: Repo, linked: Linked): Promise<string[]> {
  const all = await filledIn(repo, linked.name);
  const edited = await Promise.all(all.map(async (one) => headOf(one.theirs) === one.commit && (await differs(repo, linked, one, 'no'))));
  return all.filter((_, at) => edited[at]).map(({ path }) => path);
}

const LOOK_MS = 30_000;

async function differs(repo: Repo, linked: Linked, one: Filled, untracked: 'no' | 'normal'): Promise<boolean> {
  const look = ['status', '--porcelain', '-z', '--no-renames', `--untracked-files=${untracked}`, '--ignore-submodules=all'];
  // A named pipe in the place of a `.gitignore` would hold git up: that is a change, too.
  const done = await tryGit(repo, look, { ...gitIn(one, join(linked.path ?? '', one.path)), timeoutMs: LOOK_MS }).catch(() => undefined);
  return done?.code !== 0 || done.stdout !== '';
}

async function isChanged(repo: Repo, linked: Linked, one: Filled): Promise<boolean> {
  const files = join(linked.path ?? '', one.path);
  if (!(await isPlainWay(linked.path ?? '', one.path)) || !(await lstat(files).catch(() => undefined))) return true;
  if (headOf(one.theirs) !== one.commit || (await holdsMore(one.theirs))) return true;
  return differs(repo, linked, one, 'normal');
}

/** Objects and refs of its own: commits, tags, a stash. */
async function holdsMore(theirs: string): Promise<boolean> {
  const found = await Promise.all(
    ['objects', 'refs'].map((name) => readdir(join(theirs, name), { recursive: true, withFileTypes: true }).catch(() => [])),
  );
  return found.flat().some((entry) => !entry.isDirectory() && entry.name !== 'alternates');
}
