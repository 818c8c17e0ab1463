import { join } from 'node:path';
import { readIfThere } from '../files.ts';
import type { Linked } from './admin.ts';
import { commitTree } from './objects.ts';
import { createRef, isAncestor, resolve, treeOf } from './refs.ts';
import { git, type Repo, tryGit } from './run.ts';

/** Commits named in a worktree's own reflog that we look back over. */
const LOOK_BACK = 500;

/**
 * Pins the commits that only this worktree keeps: a detached HEAD, and amended or reset commits in its reflog. Both go with the
 * registration; `git worktree remove` would lose them silently. Returns the ref. `kept`: commits that a ref is known to hold, for a
 * worktree that stays. Commits that an earlier look found are not asked about again: the reflog names those of every task done there, and
 * each end of an attempt walked over all refs for them.
 */
export async function pinLost(repo: Repo, linked: Linked, kept?: readonly string[]): Promise<string | undefined> {
  const named = await commitsNamed(linked);
  const known = new Set(kept && [...kept, ...(looked.get(linked.admin) ?? [])]);
  const tips = await lostTips(
    repo,
    linked,
    named.filter((oid) => !known.has(oid)),
  );
  const ref = await pinAll(repo, linked, tips);
  looked.set(linked.admin, named);
  return ref;
}

/** The commits that the last look at a registration found; a ref holds each of them since. */
const looked = new Map<string, readonly string[]>();

async function pinAll(repo: Repo, linked: Linked, tips: readonly string[]): Promise<string | undefined> {
  const [first] = tips;
  if (!first) return undefined;
  const us = { name: 'furrow', email: 'furrow@localhost' };
  const message = `commits that only the worktree ${linked.name} kept\n`;
  const all =
    tips.length === 1
      ? first
      : await commitTree(repo, { tree: await treeOf(repo, first), parents: tips, message, author: us, committer: us, at: 0 });
  const ref = `refs/furrow/pin-worktree/${linked.name}/${all.slice(0, 16)}`;
  await createRef(repo, ref, all);
  return ref;
}

/** Commits that a worktree's HEAD and reflog name. */
async function commitsNamed(linked: Linked): Promise<string[]> {
  const log = (await readIfThere(join(linked.admin, 'logs', 'HEAD')).catch(() => undefined)) ?? '';
  const lines = log.split('\n').slice(-LOOK_BACK);
  const named = lines.flatMap((line) => line.slice(0, 200).split(' ').slice(0, 2));
  return [...new Set([linked.head, ...named])].filter((oid) => /^[0-9a-f]{40,64}$/.test(oid) && !/^0+$/.test(oid));
}

/** The newest of those that no ref contains. */
async function lostTips(repo: Repo, linked: Linked, oids: readonly string[]): Promise<string[]> {
  const lost = await unreachable(repo, await notOnBranch(repo, linked, oids));
  const parents = new Set(lost.flatMap((line) => line.split(' ').slice(1)));
  return lost.map((line) => line.split(' ')[0] ?? '').filter((oid) => !parents.has(oid));
}

/**
 * Up to so many commits are looked for on the worktree's own branch first. It nearly always has them all, which saves a walk over all refs.
 */
const FEW = 20;

/** Those that the worktree's own branch does not keep. */
async function notOnBranch(repo: Repo, { head }: Linked, oids: readonly string[]): Promise<readonly string[]> {
  const branch = /^ref: (refs\/heads\/.+)$/.exec(head)?.[1];
  const tip = branch && oids.length > 0 && oids.length <= FEW ? await resolve(repo, branch).catch(() => undefined) : undefined;
  if (!tip) return oids;
  const kept = await Promise.all(oids.map((oid) => isAncestor(repo, oid, tip).catch(() => false)));
  return oids.filter((_, at) => !kept[at]);
}

/** Uses `--glob=refs/*`: `--all` would also count the HEAD that is about to go, and read every registration. */
async function unreachable(repo: Repo, oids: readonly string[]): Promise<string[]> {
  if (oids.length === 0) return [];
  const known = await tryGit(repo, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input: `${oids.join('\n')}\n` });
  const commits = known.stdout
    .split('\n')
    .filter((line) => line.endsWith(' commit'))
    .map((line) => line.slice(0, line.indexOf(' ')));
  if (commits.length === 0) return [];
  // A ref whose commit is gone keeps nothing. A person's `git gc --prune=now` beside an agent's commit leaves such a branch, and one of
  // them must not stop the end of all attempts.
  const args = ['rev-list', '--ignore-missing', '--parents', '--stdin', '--not', '--glob=refs/*'];
  const out = await git(repo, args, { input: `${commits.join('\n')}\n` });
  return out.split('\n').filter(Boolean);
}

/** Pins a branch's tip before the branch is moved to another start: an earlier attempt may have left work there. */
export async function pinBranch(repo: Repo, branch: string, start: string): Promise<void> {
  const tip = await resolve(repo, `refs/heads/${branch}`);
  if (!tip || tip === start || (await isAncestor(repo, tip, start))) return;
  const held = await git(repo, ['for-each-ref', '--count=1', `--points-at=${tip}`, 'refs/furrow/']);
  if (!held) await createRef(repo, `refs/furrow/pin-branch/${branch}/${tip.slice(0, 16)}`, tip);
}
