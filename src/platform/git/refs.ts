import { join } from 'node:path';
import { FurrowError } from '../error.ts';
import { limiter } from '../limit.ts';
import { quotedIfNeeded } from '../shell.ts';
import { isCollecting, isKept } from './gc.ts';
import { looseValue } from './loose-ref.ts';
import { clearOwnLocks, lockingGit } from './own-locks.ts';
import { isOwnRef, plantedAt, plantedError, plantedLog } from './own-ref.ts';
import { GitError, git, type Repo, tryGit } from './run.ts';

export interface RefValue {
  readonly ref: string;
  readonly oid: string;
}

/** Ids that git has confirmed as commits: the content of an id never changes. Past this many the set starts anew. */
const commits = new Set<string>();
const MOST_COMMITS = 10_000;

/** Forgets the known commits, after some objects were found to be gone. */
export const forgetCommits = (): void => commits.clear();

/**
 * The full id of the commit that a revision names, or `undefined` when there is none. The value of a ref is read each time, if possible
 * without a process: a fifth of all gits of a farm asked for the target or our head of it. A ref of ours is never followed: if it is not a
 * plain id, the error is PLANTED_REF.
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

/** The commit of a ref of ours without a file of its own: it is packed or missing. `undefined` also when it names no commit. */
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

/** Does the same for several revisions with one git. */
export async function resolveAll(repo: Repo, revs: readonly string[]): Promise<(string | undefined)[]> {
  for (const rev of revs) if (isOwnRef(rev)) assertNothingPlanted(repo, rev);
  const named = revs.map((rev) => (isOwnRef(rev) && looseValue(repo.gitDir, rev)) || rev);
  const input = named.map((rev) => `${rev}^{commit}\n`).join('');
  const lines = (await git(repo, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input })).split('\n');
  return revs.map((_, i) => remembered(repo, /^([0-9a-f]+) commit$/.exec(lines[i] ?? '')?.[1]));
}

/** The trees of commits (or of trees) with one git; a missing one is an error. */
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

interface RefMove {
  readonly ref: string;
  readonly to: string;
  /** The expected present value; `null`: the ref must not exist. */
  readonly from: string | null;
  /** The fencing token: git verifies it in the same transaction, so that a daemon which was replaced moves nothing. */
  readonly epoch?: RefValue | undefined;
  /** For the reflog, which git then writes even where the user has switched reflogs off. */
  readonly message?: string;
}

const TRIES = 3;

/**
 * Moves one ref by compare-and-swap. A lost race is an answer with the value that won; a stale epoch is the error STALE_EPOCH. Only one
 * ref: a transaction over several that was killed at its second rename had moved the first.
 */
export async function moveRef(repo: Repo, move: RefMove): Promise<Moved> {
  assertPlain(repo, move.ref);
  // Verifying the epoch locks it: two transactions at once would fail on each other.
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
    // Git was killed after it had moved the ref: the move is done.
    if (done.code === null && at === move.to) return { moved: true };
    if (at !== (move.from ?? undefined)) return { moved: false, at };
    await clearOwnLocks(repo);
    // The ref is unchanged: another git holds the lock, for milliseconds or because it died. Or our git was killed and can simply run
    // again.
    const again = done.code === null ? !done.timedOut : /\.lock|cannot lock ref/.test(done.stderr);
    if (attempt === TRIES || !again) throw new GitError(args, done);
    await new Promise((retry) => setTimeout(retry, attempt * (20 + Math.random() * 60)));
  }
}

/** Checks after a gc that the new object is still there. If the gc removed it, the ref goes back, and the object is made again. */
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

/** The value of the ref itself, not peeled; also when its object is gone. */
export async function rawValue(repo: Repo, ref: string): Promise<string | undefined> {
  return (await listRefs(repo, ref)).find((one) => one.ref === ref)?.oid;
}

/**
 * Points a ref of ours at an object, whatever its value was: for refs that can be made again at any time, even if the old object is gone.
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

/** Keeps a commit under a ref of its own. Safe to repeat; it is an error if the ref already holds another object that exists. */
export async function createRef(repo: Repo, ref: string, oid: string): Promise<void> {
  const made = await moveRef(repo, { ref, to: oid, from: null });
  if (made.moved || made.at === oid) return;
  if (made.at && (await tryGit(repo, ['cat-file', '-e', made.at])).code !== 0) await setRef(repo, ref, oid);
  else throw new FurrowError('REF_TAKEN', `${ref} already names another commit`, { hint: `git show ${ref}` });
}

/** The refs below some prefixes that one of these commits contains, with one git. */
export async function refsWithin(repo: Repo, commits: readonly string[], prefixes: readonly string[]): Promise<RefValue[]> {
  // Without a prefix git would list all refs.
  if (commits.length === 0) return [];
  const merged = [...new Set(commits)].map((commit) => `--merged=${commit}`);
  const out = await git(repo, ['for-each-ref', ...merged, '--format=%(objectname) %(refname)', ...prefixes]);
  return out.split('\n').flatMap((line) => {
    const [oid, ref] = line.split(' ');
    return oid && ref ? [{ oid, ref }] : [];
  });
}

/** Refs and their values. A symbolic ref has no value of its own and is left out. */
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
 * Deletes refs of ours that still have the given value; a ref that moved stays. One batch: 50 single deletions of packed refs took 3.1 s,
 * each rewriting packed-refs. Returns the names of the deleted refs.
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
 * Refuses a ref that is a link or symbolic. Agents may write in the folders of their branch and its reflog: a planted link would make our
 * `update-ref` append to any file of the user's, and a symbolic ref would make it move any branch. The reflogs of a person's branches are
 * not looked at.
 */
export function assertPlain(repo: Repo, ref: string): void {
  assertNothingPlanted(repo, ref);
  if (!isOwnRef(ref)) return;
  const log = plantedLog(repo.gitDir, ref);
  if (log)
    throw new FurrowError('PLANTED_LINK', `${log.path} is ${log.what}, which furrow did not make`, {
      hint: `ls -l ${quotedIfNeeded(log.path)}`,
    });
}
