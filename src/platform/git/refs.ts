import { join } from 'node:path';
import { FurrowError } from '../error.ts';
import { limiter } from '../limit.ts';
import { isCollecting, isKept } from './gc.ts';
import { looseValue } from './loose-ref.ts';
import { clearOwnLocks, lockingGit } from './own-locks.ts';
import { isOwnRef, plantedAt, plantedError, plantedLog } from './own-ref.ts';
import { GitError, git, type Repo, tryGit } from './run.ts';

export interface RefValue {
  readonly ref: string;
  readonly oid: string;
}

/** Ids that git has called commits. What an id names never changes; past this many they are asked for anew. */
const commits = new Set<string>();
const MOST_COMMITS = 10_000;

/** After objects were found to be gone: nothing is known to be there any more. */
export const forgetCommits = (): void => commits.clear();

/**
 * The full id of the commit that a revision names, or `undefined` when there is none. The value of a ref is read each time, without a
 * process for it when it can be: a fifth of all the gits of a farm asked where the target, or our head of it, is. A ref of ours is never
 * followed: one that is no plain id is the error PLANTED_REF.
 */
export async function resolve(repo: Repo, rev: string): Promise<string | undefined> {
  const own = isOwnRef(rev);
  if (own) assertNothingPlanted(repo, rev);
  const known = looseValue(repo.gitDir, rev);
  if (known !== undefined && commits.has(`${repo.gitDir}\0${known}`)) return known;
  const commit = own && known === undefined ? await ownCommit(repo, rev) : await commitNamed(repo, own ? known! : rev);
  return remembered(repo, commit);
}

function remembered(repo: Repo, commit: string | undefined): string | undefined {
  if (commits.size >= MOST_COMMITS) commits.clear();
  if (commit !== undefined) commits.add(`${repo.gitDir}\0${commit}`);
  return commit;
}

async function commitNamed(repo: Repo, rev: string): Promise<string | undefined> {
  const done = await tryGit(repo, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${rev}^{commit}`]);
  return done.code === 0 ? done.stdout.trim() : undefined;
}

/** The commit of a ref of ours that has no file: it is packed, or not there. One that names no commit names nothing. */
async function ownCommit(repo: Repo, ref: string): Promise<string | undefined> {
  const done = await tryGit(repo, ['for-each-ref', '--format=%(objectname) %(objecttype) %(refname) %(symref)', ref]);
  const line = done.stdout.split('\n').find((one) => one.split(' ')[2] === ref);
  const [oid, type, , symref] = line?.split(' ') ?? [];
  if (symref) throw plantedError({ path: ref, what: `a symbolic ref to ${symref}` });
  return type === 'commit' ? oid : undefined;
}

function assertNothingPlanted(repo: Repo, ref: string): void {
  const planted = plantedAt(repo.gitDir, ref);
  if (planted) throw plantedError(planted);
}

/** The same for several, by one git. */
export async function resolveAll(repo: Repo, revs: readonly string[]): Promise<(string | undefined)[]> {
  for (const rev of revs) if (isOwnRef(rev)) assertNothingPlanted(repo, rev);
  const named = revs.map((rev) => (isOwnRef(rev) && looseValue(repo.gitDir, rev)) || rev);
  const input = named.map((rev) => `${rev}^{commit}\n`).join('');
  const lines = (await git(repo, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input })).split('\n');
  return revs.map((_, i) => remembered(repo, /^([0-9a-f]+) commit$/.exec(lines[i] ?? '')?.[1]));
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
  assertPlain(repo, move.ref);
  // Verifying the epoch locks it: two at once would fail on each other.
  return move.epoch ? fenced(() => swap(repo, move)) : swap(repo, move);
}

export type Moved = { moved: true } | { moved: false; at: string | undefined };

const fenced = limiter(1);

async function swap(repo: Repo, move: RefMove): Promise<Moved> {
  const verify = move.epoch ? `verify ${move.epoch.ref} ${move.epoch.oid}\n` : '';
  const change = move.from === null ? `create ${move.ref} ${move.to}\n` : `update ${move.ref} ${move.to} ${move.from}\n`;
  const args = ['update-ref', '--no-deref', ...(move.message ? ['--create-reflog', '-m', move.message] : []), '--stdin'];
  const locks = [move.ref, ...(move.epoch ? [move.epoch.ref] : [])].map((ref) => join(repo.gitDir, `${ref}.lock`));
  const collecting = isCollecting(repo.gitDir);
  for (let attempt = 1; ; attempt++) {
    const done = await lockingGit(repo, locks, args, { input: `start\n${verify}${change}prepare\ncommit\n` });
    if (done.code === 0) return kept(repo, move, collecting);
    if (move.epoch && (await rawValue(repo, move.epoch.ref)) !== move.epoch.oid) throw staleEpoch();
    const at = await rawValue(repo, move.ref);
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

/** A gc that ran meanwhile may have taken what the ref names now: then the ref goes back, and its object is made again. */
async function kept(repo: Repo, { ref, from, to }: RefMove, collecting: boolean): Promise<Moved> {
  if (await isKept(repo, to, collecting)) return { moved: true };
  forgetCommits();
  const back = from === null ? `delete ${ref} ${to}\n` : `update ${ref} ${from} ${to}\n`;
  await tryGit(repo, ['update-ref', '--no-deref', '--stdin'], { input: back });
  throw new FurrowError('GIT_FAILED', `git gc took ${to.slice(0, 12)} before ${ref} could keep it; it is made again`, {
    hint: 'furrow queue',
  });
}

function staleEpoch(): FurrowError {
  return new FurrowError('STALE_EPOCH', 'another furrow has taken over this repository', { hint: 'furrow status' });
}

/** The value of a ref itself, not peeled; also of one whose object is gone. */
export async function rawValue(repo: Repo, ref: string): Promise<string | undefined> {
  return (await listRefs(repo, ref)).find((one) => one.ref === ref)?.oid;
}

/**
 * Points a ref of ours at an object, whatever it held: for refs that can be made again at any time. One whose object is gone is no obstacle.
 */
export async function setRef(repo: Repo, ref: string, to: string): Promise<void> {
  let from = looseValue(repo.gitDir, ref) ?? (await rawValue(repo, ref));
  for (let tries = 0; tries < TRIES && from !== to; tries++) {
    const moved = await moveRef(repo, { ref, to, from: from ?? null });
    if (moved.moved) return;
    from = moved.at;
  }
  if (from !== to) throw new FurrowError('TRY_AGAIN', `${ref} keeps moving`, { hint: 'furrow queue' });
}

/** Keeps a commit by a name of its own. Safe to repeat; a name that already holds something else, which is there, is an error. */
export async function createRef(repo: Repo, ref: string, oid: string): Promise<void> {
  const made = await moveRef(repo, { ref, to: oid, from: null });
  if (made.moved || made.at === oid) return;
  if (made.at && (await tryGit(repo, ['cat-file', '-e', made.at])).code !== 0) await setRef(repo, ref, oid);
  else throw new FurrowError('REF_TAKEN', `${ref} already names another commit`, { hint: `git show ${ref}` });
}

/** Those refs below some prefixes that one of these commits contains, by one git. */
export async function refsWithin(repo: Repo, commits: readonly string[], prefixes: readonly string[]): Promise<RefValue[]> {
  // Without one git would list them all.
  if (commits.length === 0) return [];
  const merged = [...new Set(commits)].map((commit) => `--merged=${commit}`);
  const out = await git(repo, ['for-each-ref', ...merged, '--format=%(objectname) %(refname)', ...prefixes]);
  return out.split('\n').flatMap((line) => {
    const [oid, ref] = line.split(' ');
    return oid && ref ? [{ oid, ref }] : [];
  });
}

/** Refs and their values. A symbolic ref has none of its own, and is not in the list. */
export async function listRefs(repo: Repo, prefix: string): Promise<RefValue[]> {
  const lines = await git(repo, ['for-each-ref', '--format=%(objectname) %(refname) %(symref)', prefix]);
  return lines.split('\n').flatMap((line) => {
    const [oid, ref, symref] = line.split(' ');
    return oid && ref && !symref ? [{ oid, ref }] : [];
  });
}

export async function isAncestor(repo: Repo, ancestor: string, of: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, of];
  const done = await tryGit(repo, args);
  if (done.code === 0 || done.code === 1) return done.code === 0;
  throw new GitError(args, done);
}

/**
 * Deletes refs of ours that still have the value given; what moved meanwhile stays. One batch: 50 single deletions of
 * packed refs took 3.1 s, each rewriting packed-refs. Returns the names that are gone.
 */
export async function deleteRefs(repo: Repo, refs: readonly RefValue[]): Promise<string[]> {
  const foreign = refs.find(({ ref }) => !isOwnRef(ref));
  if (foreign) throw new FurrowError('REF_PROTECTED', `${foreign.ref} is not a ref of furrow's and is never deleted`);
  if (refs.length === 0) return [];
  const remove = async (batch: readonly RefValue[]) => {
    const done = await tryGit(repo, ['update-ref', '--no-deref', '--stdin'], {
      input: batch.map(({ ref, oid }) => `delete ${ref} ${oid}\n`).join(''),
    });
    return done.code === 0 ? batch.map(({ ref }) => ref) : undefined;
  };
  const whole = await remove(refs);
  if (whole) return whole;
  const gone: string[] = [];
  for (const one of refs) gone.push(...((await remove([one])) ?? []));
  return gone;
}

/**
 * Agents may write below their branch's folder and its reflog's: a link planted there would make our `update-ref` append to any file of
 * the user's, and a symbolic ref would make it move any branch. No ref at all is followed; the reflogs of a person's branches are theirs.
 */
export function assertPlain(repo: Repo, ref: string): void {
  assertNothingPlanted(repo, ref);
  if (!isOwnRef(ref)) return;
  const log = plantedLog(repo.gitDir, ref);
  if (log) throw new FurrowError('PLANTED_LINK', `${log.path} is ${log.what}, which furrow did not make`, { hint: `ls -l ${log.path}` });
}
