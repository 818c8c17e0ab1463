import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../error.ts';
import { limiter } from '../limit.ts';
import { looseValue } from './loose-ref.ts';
import { clearOwnLocks, lockingGit } from './own-locks.ts';
import { GitError, git, type Repo, tryGit } from './run.ts';

export interface RefValue {
  readonly ref: string;
  readonly oid: string;
}

/** Ids that git has called commits. What an id names never changes; past this many they are asked for anew. */
const commits = new Set<string>();
const MOST_COMMITS = 10_000;

/**
 * The full id of the commit that a revision names, or `undefined` when there is none. The value of a ref is read each time, without a
 * process for it when it can be: a fifth of all the gits of a farm asked where the target, or our head of it, is.
 */
export async function resolve(repo: Repo, rev: string): Promise<string | undefined> {
  const known = looseValue(repo.gitDir, rev);
  if (known !== undefined && commits.has(`${repo.gitDir}\0${known}`)) return known;
  const done = await tryGit(repo, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${rev}^{commit}`]);
  if (done.code !== 0) return undefined;
  const commit = done.stdout.trim();
  if (commits.size >= MOST_COMMITS) commits.clear();
  commits.add(`${repo.gitDir}\0${commit}`);
  return commit;
}

/** The same for several, by one git. */
export async function resolveAll(repo: Repo, revs: readonly string[]): Promise<(string | undefined)[]> {
  const input = revs.map((rev) => `${rev}^{commit}\n`).join('');
  const lines = (await git(repo, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input })).split('\n');
  return revs.map((_, i) => /^([0-9a-f]+) commit$/.exec(lines[i] ?? '')?.[1]);
}

/** The trees of commits, or trees themselves, by one git; one that is missing is an error. */
export async function treesOf(repo: Repo, revs: readonly string[]): Promise<string[]> {
  if (revs.length === 0) return [];
  const input = revs.map((rev) => `${rev}^{tree}\n`).join('');
  const lines = (await git(repo, ['cat-file', '--batch-check=%(objectname)'], { input })).split('\n');
  return revs.map((rev, at) => {
    if (!/^[0-9a-f]+$/.test(lines[at] ?? '')) throw new FurrowError('GIT_FAILED', `${rev} is not there`);
    return lines[at]!;
  });
}

export async function treeOf(repo: Repo, commit: string): Promise<string> {
  return git(repo, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`]);
}

export interface RefMove {
  readonly ref: string;
  readonly to: string;
  /** The expected present value; `null`: it must not exist. */
  readonly from: string | null;
  /** The fencing token: verified in the same transaction, so that a daemon that was replaced moves nothing. */
  readonly epoch?: RefValue | undefined;
  /** For the reflog, which is then kept even where the user has switched reflogs off. */
  readonly message?: string;
}

const TRIES = 3;

/**
 * Moves one ref by compare-and-swap. A lost race is an answer with the value that won; a stale epoch is the error
 * STALE_EPOCH. One ref only: a transaction over several, killed at its second rename, had moved the first.
 */
export async function moveRef(repo: Repo, move: RefMove): Promise<Moved> {
  await assertPlain(repo, move.ref);
  // Verifying the epoch locks it: two at once would fail on each other.
  return move.epoch ? fenced(() => swap(repo, move)) : swap(repo, move);
}

export type Moved = { moved: true } | { moved: false; at: string | undefined };

const fenced = limiter(1);

async function swap(repo: Repo, move: RefMove): Promise<Moved> {
  const verify = move.epoch ? `verify ${move.epoch.ref} ${move.epoch.oid}\n` : '';
  const change = move.from === null ? `create ${move.ref} ${move.to}\n` : `update ${move.ref} ${move.to} ${move.from}\n`;
  const args = ['update-ref', ...(move.message ? ['--create-reflog', '-m', move.message] : []), '--stdin'];
  const locks = [move.ref, ...(move.epoch ? [move.epoch.ref] : [])].map((ref) => join(repo.gitDir, `${ref}.lock`));
  for (let attempt = 1; ; attempt++) {
    const done = await lockingGit(repo, locks, args, { input: `start\n${verify}${change}prepare\ncommit\n` });
    if (done.code === 0) return { moved: true };
    if (move.epoch && (await oidOf(repo, move.epoch.ref)) !== move.epoch.oid) throw staleEpoch();
    const at = await oidOf(repo, move.ref);
    // Killed after it had moved the ref: done all the same.
    if (done.code === null && at === move.to) return { moved: true };
    if (at !== (move.from ?? undefined)) return { moved: false, at };
    await clearOwnLocks(repo);
    // Still where we expected it: another git holds the lock, which is over in milliseconds or is a dead one's.
    // Or ours was killed, and may simply be run again.
    const again = done.code === null ? !done.timedOut : /\.lock|cannot lock ref/.test(done.stderr);
    if (attempt === TRIES || !again) throw new GitError(args, done);
    await new Promise((retry) => setTimeout(retry, attempt * (20 + Math.random() * 60)));
  }
}

function staleEpoch(): FurrowError {
  return new FurrowError('STALE_EPOCH', 'another furrow has taken over this repository', { hint: 'furrow status' });
}

/** The value of a ref itself, not peeled. */
async function oidOf(repo: Repo, ref: string): Promise<string | undefined> {
  const done = await tryGit(repo, ['show-ref', '--verify', '--hash', ref]);
  return done.code === 0 ? done.stdout.trim() : undefined;
}

/** Keeps a commit by a name of its own. Safe to repeat; a name that already holds something else is an error. */
export async function createRef(repo: Repo, ref: string, oid: string): Promise<void> {
  const made = await moveRef(repo, { ref, to: oid, from: null });
  if (!made.moved && made.at !== oid)
    throw new FurrowError('REF_TAKEN', `${ref} already names another commit`, { hint: `git show ${ref}` });
}

/** The names of those refs below some prefixes that a commit contains. */
export async function refsWithin(repo: Repo, commit: string, prefixes: readonly string[]): Promise<string[]> {
  const out = await git(repo, ['for-each-ref', `--merged=${commit}`, '--format=%(refname)', ...prefixes]);
  return out.split('\n').filter(Boolean);
}

export async function listRefs(repo: Repo, prefix: string): Promise<RefValue[]> {
  const lines = await git(repo, ['for-each-ref', '--format=%(objectname) %(refname)', prefix]);
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ oid: line.slice(0, line.indexOf(' ')), ref: line.slice(line.indexOf(' ') + 1) }));
}

export async function isAncestor(repo: Repo, ancestor: string, of: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, of];
  const done = await tryGit(repo, args);
  if (done.code === 0 || done.code === 1) return done.code === 0;
  throw new GitError(args, done);
}

const OURS = /^refs\/(heads\/furrow|furrow)\//;

/**
 * Deletes refs of ours that still have the value given; what moved meanwhile stays. One batch: 50 single deletions of
 * packed refs took 3.1 s, each rewriting packed-refs. Returns the names that are gone.
 */
export async function deleteRefs(repo: Repo, refs: readonly RefValue[]): Promise<string[]> {
  const foreign = refs.find(({ ref }) => !OURS.test(ref));
  if (foreign) throw new FurrowError('REF_PROTECTED', `${foreign.ref} is not a ref of furrow's and is never deleted`);
  if (refs.length === 0) return [];
  const remove = async (batch: readonly RefValue[]) => {
    const done = await tryGit(repo, ['update-ref', '--stdin'], { input: batch.map(({ ref, oid }) => `delete ${ref} ${oid}\n`).join('') });
    return done.code === 0 ? batch.map(({ ref }) => ref) : undefined;
  };
  const whole = await remove(refs);
  if (whole) return whole;
  const gone: string[] = [];
  for (const one of refs) gone.push(...((await remove([one])) ?? []));
  return gone;
}

/**
 * Agents may write below their branch's folder and its reflog's: a symbolic link planted there would make our
 * `update-ref` append to any file of the user's. Refs outside furrow's folders are not theirs to plant in.
 */
export async function assertPlain(repo: Repo, ref: string): Promise<void> {
  if (!OURS.test(ref)) return;
  for (const base of [repo.gitDir, join(repo.gitDir, 'logs')]) {
    let path = base;
    for (const part of ref.split('/')) {
      path = join(path, part);
      const found = await lstat(path).catch(() => undefined);
      if (!found) break;
      const plain = found.isDirectory() || (found.isFile() && found.nlink === 1);
      if (!plain) throw new FurrowError('PLANTED_LINK', `${path} is a link that furrow did not make`, { hint: `ls -l ${path}` });
    }
  }
}
