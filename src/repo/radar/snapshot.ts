import { constants } from 'node:fs';
import { lstat, mkdir, open, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '../../platform/files.ts';
import { FILLING, inWorktree, type Linked, linkedAt } from '../../platform/git/admin.ts';
import { resolve } from '../../platform/git/refs.ts';
import { GitError, type GitOptions, git, type Repo } from '../../platform/git/run.ts';
import { DRY } from '../../platform/lfs/pointer.ts';
import { type LeftOut, type Unsaved, unsaved } from './left-out.ts';
import { objectsIn } from './scratch-objects.ts';

/** An agent's work at one moment, as a commit that no ref names. */
export interface WorkSnapshot {
  /** The branch's tip when all is committed, else a commit on top of it. */
  readonly commit: string;
  readonly head: string | undefined;
  readonly leftOut: readonly LeftOut[];
  /** The folder of objects that `commit` needs besides the repository's; `undefined` when it needs none. */
  readonly objects: string | undefined;
  readonly tree: string | undefined;
  readonly private: PrivateIndex;
}

/** Our copy of the worktree's index, with uncommitted work added, so that the next look reads only changes. */
interface PrivateIndex {
  readonly folder: string;
  /** The state of the worktree's own index that the copy was made from. */
  readonly fingerprint: string;
  readonly looks: number;
}

interface Look {
  readonly worktree: string;
  /** A folder of furrow's that does not exist yet; it is made when the index must be copied again. */
  readonly fresh: string;
  readonly signal?: AbortSignal | undefined;
}

/** After so many changes a new copy is made: objects that no snapshot needs any more go with the old folder. */
const LOOKS = 300;

/**
 * Takes a snapshot of a worktree, committed or not, and touches nothing in it: no file, no index, no lock, no ref. `before` makes it
 * incremental, and is returned when nothing changed. `undefined`: the agent was writing just now, or the worktree is not complete yet; look
 * again later.
 */
export async function snapshotWork(repo: Repo, look: Look, before?: WorkSnapshot): Promise<WorkSnapshot | undefined> {
  const linked = await linkedAt(repo, look.worktree);
  if (!linked?.whole || linked.locked === FILLING) return undefined;
  const own = await privateIndex(linked, look.fresh, before?.private);
  if (!own) return undefined;
  try {
    return await take(repo, linked, look, own, before);
  } catch (error) {
    // A half-updated copy would hide from the next look what this one could not report.
    await rm(join(own.folder, 'index'), { force: true });
    // A file disappeared or changed while it was read, or our git was killed: neither is a reason to stop.
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

async function privateIndex(linked: Linked, fresh: string, before: PrivateIndex | undefined): Promise<PrivateIndex | undefined> {
  const theirs = join(linked.admin, 'index');
  const kept = before && before.looks < LOOKS && (await indexFingerprint(join(before.folder, 'index'))) !== undefined;
  if (kept && (await indexFingerprint(theirs)) === before.fingerprint) {
    // Only ours: an existing one was left by a git of ours that was killed.
    await rm(join(before.folder, 'index.lock'), { force: true });
    return before;
  }
  await mkdir(join(fresh, 'objects'), { recursive: true, mode: 0o700 });
  const fingerprint = await copyIndex(theirs, join(fresh, 'index'));
  return fingerprint === undefined ? undefined : { folder: fresh, fingerprint, looks: 0 };
}

/** A look takes some 50 ms. One that takes longer than this has no answer, and others wait behind it. */
const LOOK_MS = 20_000;

async function take(repo: Repo, linked: Linked, look: Look, own: PrivateIndex, before: WorkSnapshot | undefined) {
  const place = inWorktree(repo, linked);
  const objects = join(own.folder, 'objects');
  const options: GitOptions = {
    ...place,
    // Refreshed times are kept, since the index and its lock are ours.
    env: { ...place.env, ...objectsIn(repo, objects), GIT_INDEX_FILE: join(own.folder, 'index'), GIT_OPTIONAL_LOCKS: '1', ...DRY },
    // A split index would write its shared half into the worktree's own folder.
    config: ['core.splitIndex=false', 'core.untrackedCache=false'],
    encoding: 'latin1',
    // Every git waits for ever at a named pipe that is called `.gitignore`.
    timeoutMs: LOOK_MS,
    ...(look.signal && { signal: look.signal }),
  };
  const found = await unsaved(repo, place.cwd, options);
  const { head, leftOut, present, gone } = found;
  const changed = present.length + gone.length > 0;
  const same = before?.private === own && !changed && before.head === head;
  if (same && sameList(before.leftOut, leftOut)) return before;
  if (found.clean && head) return { commit: head, head, leftOut, objects: undefined, tree: undefined, private: own };
  const tree = await writeTree(repo, found, options);
  const commit = await commitOn(repo, linked, tree, head, options);
  return { commit, head, leftOut, objects, tree, private: { ...own, looks: own.looks + 1 } };
}

async function writeTree(repo: Repo, { present, gone }: Unsaved, options: GitOptions): Promise<string> {
  const update = async (how: readonly string[], paths: readonly string[]) => {
    const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
    if (paths.length > 0) await git(repo, ['update-index', ...how, '-z', '--stdin'], { ...options, input });
  };
  await update(['--force-remove'], gone);
  await update(['--add', '--replace'], present);
  return git(repo, ['write-tree'], options);
}

/** In the year 2100: the same work gives the same commit, and walks by date meet it before its parents. */
const US = 'furrow <furrow@localhost> 4102444800 +0000';

async function commitOn(repo: Repo, linked: Linked, tree: string, head: string | undefined, options: GitOptions): Promise<string> {
  const merging = (await readIfThere(join(linked.admin, 'MERGE_HEAD')).catch(() => undefined))?.match(/^[0-9a-f]{40,64}$/m)?.[0];
  const parents = [head, merging && (await resolve(repo, merging))].filter((parent) => parent !== undefined);
  const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${US}`, `committer ${US}`];
  return git(repo, ['hash-object', '-t', 'commit', '-w', '--stdin'], { ...options, input: `${lines.join('\n')}\n\nwork\n` });
}

const sameList = (a: readonly LeftOut[], b: readonly LeftOut[]) =>
  a.length === b.length && a.every(({ path, why }, i) => path === b[i]?.path && why === b[i]?.why);

/** Opens no link and does not wait at a pipe, in case an agent put one there. */
const PLAINLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const fingerprintOf = (stat: { ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint }) =>
  `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;

/** A text that differs for two states of an index, made without reading it; `undefined` when there is none. */
async function indexFingerprint(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found?.isFile() ? fingerprintOf(found) : undefined;
}

/**
 * Copies an index that its owner may be replacing: git renames a new one into place, so one open file is one whole index. Returns the
 * fingerprint of the copied state. The copy gets the original's time, rounded down: git looks into a file that is not older than the index,
 * and an index dated later would hide an edit made in the same second.
 */
async function copyIndex(from: string, to: string): Promise<string | undefined> {
  const file = await open(from, PLAINLY).catch(() => undefined);
  if (!file) return undefined;
  try {
    const found = await file.stat({ bigint: true });
    if (!found.isFile()) return undefined;
    await writeFile(to, await file.readFile(), { mode: 0o600 });
    const seconds = Number(found.mtimeNs / 1_000_000_000n);
    await utimes(to, seconds, seconds);
    return fingerprintOf(found);
  } finally {
    await file.close();
  }
}
