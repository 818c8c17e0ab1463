import { chmod, copyFile, lstat, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import { bytePath, readIfThere } from '../../platform/files.ts';
import { inWorktree, type Linked, linkedAt, plantedIn } from '../../platform/git/admin.ts';
import { withRepo } from '../../platform/git/mutex.ts';
import { sharedAside } from '../../platform/git/own-object-store.ts';
import { setRef } from '../../platform/git/refs.ts';
import { register } from '../../platform/git/register.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { blockingPipes } from '../../platform/git/status.ts';
import { type Empty, fillSubmodules } from '../../platform/git/submodules/fill.ts';
import { discard, trashNear } from '../../platform/git/trash.ts';
import { placesOf } from '../../platform/places.ts';
import { fillPointers } from './large-files.ts';
import { type CacheOrder, exchangeCaches, forgetWriter, keepCaches, noteWriter } from './slot-caches.ts';
import { cleanFiles, cleanGitFolder, emptySubmodules, hasMore, sweep } from './slot-clean.ts';
import { type Inside, readSlotIndex, type SlotIndex, sameAttributes } from './slot-index.ts';
import { clockMoved, isUntouched, removeTouched } from './slot-touched.ts';

/** A worktree of furrow's own in which checks run. It is kept: moving one takes 50 ms at 5,000 files, making one 458. */
export interface Slot {
  readonly path: string;
  /** The marker of every process of the checks in it. */
  readonly marker: string;
  /** argv in front of each check. */
  readonly jail: readonly string[];
  /** Makes the limits of a command; absent: it has none. */
  readonly limits?: () => Limited;
  /** Makes the argv in front of that, for a command with this environment in this folder; absent: there is no fence. */
  readonly fence?: (env: Readonly<Record<string, string>>, where: Where) => Promise<Fenced>;
}

/** The folder that a command runs in, and one beside the slot that it may write to. */
export interface Where {
  readonly cwd: string;
  readonly write?: string | undefined;
}

/** The limits of one command: argv in front of its fence, and afterwards the limit that it reached, in words. */
export interface Limited {
  readonly argv: readonly string[];
  ended(): string | undefined;
}

/** A command's fence, and the environment that it has inside. */
interface Fenced {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Not the user's sparse checkout: a check sees the whole tree. No reflog, which would only grow. An index in a version that we can read.
 */
const CONFIG = ['core.sparseCheckout=false', 'core.logAllRefUpdates=false', 'index.version=2', 'core.splitIndex=false'];

/** The options that git is run with in a prepared slot. */
export interface InSlot extends InSlotGit {
  /** Where it was brought to. */
  readonly commit: string;
  /** Large files whose content is not on this machine: a check sees their pointers. */
  readonly pointers: readonly string[];
  /** Submodules that furrow could not fill. */
  readonly empty: readonly Empty[];
}

/** The paths that stay in a slot from one check to the next. */
interface Stays {
  readonly caches: CacheOrder;
  /** Paths that set-up made, ignored or not. */
  readonly keep: readonly string[];
}

/**
 * Brings a slot to a commit: exactly its files, plus the declared caches, plus the paths that set-up made. The index that decides about its
 * files is kept elsewhere, where no check can write. A slot without one, or one that fails because a killed git left a lock or a check
 * broke it, goes to the trash and is made again, once.
 */
export async function prepareSlot(repo: Repo, path: string, commit: string, stays: Partial<Stays> = {}): Promise<InSlot> {
  await pin(repo, path, commit);
  const known = await linkedAt(repo, path);
  if (known && (await isSound(known))) {
    const written = await readSlotIndex(indexOf(repo, path), hashBytes(commit));
    const filled = written && (await fill(repo, known, commit, stays, written).catch(() => undefined));
    if (filled) return filled;
  }
  return fill(repo, await makeSlot(repo, path, commit), commit, stays);
}

/** The index that a slot is judged by, where no check can write. The one in its git folder is a copy for the check's own git. */
const indexOf = (repo: Repo, path: string) => join(placesOf(repo.root).dir, 'indexes', basename(path));

const hashBytes = (id: string) => id.length / 2;

/** True when it is registered, has the `.git` file that git wrote, and no links that would lead our git elsewhere. */
async function isSound(linked: Linked): Promise<boolean> {
  const file = join(linked.path ?? '', '.git');
  if (!(await lstat(file).catch(() => undefined))?.isFile()) return false;
  const pointer = await readIfThere(file);
  return linked.whole && pointer?.trim() === `gitdir: ${linked.admin}` && !plantedIn(linked.admin);
}

/** Keeps the checked commit from the user's own `git gc --prune=now`. */
async function pin(repo: Repo, path: string, commit: string): Promise<void> {
  await setRef(repo, `refs/furrow/check/${basename(path)}`, commit);
}

async function fill(
  repo: Repo,
  linked: Linked,
  commit: string,
  { caches, keep = [] }: Partial<Stays>,
  written?: SlotIndex,
): Promise<InSlot> {
  await cleanGitFolder(repo, linked.admin);
  const inside = await inSlot(repo, linked, commit);
  if (written) {
    await removeTouched(inside.cwd, written, inside.modes);
    for (const pipe of blockingPipes(inside.cwd, written.folders)) await rm(bytePath(inside.cwd, pipe));
  }
  await checkOut(repo, inside, commit);
  if (written && !sameAttributes(written, await indexAt(inside, commit))) {
    // Without an index every file is written.
    await rm(inside.env.GIT_INDEX_FILE);
    await checkOut(repo, inside, commit);
  }
  const exchanged = caches && (await exchangeCaches(repo, inside, caches));
  if (exchanged?.older.length) await writeAnew(repo, inside, commit, exchanged.older);
  const index = await indexAt(inside, commit);
  if (await hasMore(inside.cwd, index, keep)) {
    await cleanFiles(repo, inside, caches?.patterns ?? [], keep);
    await sweep(inside.cwd, index);
  }
  if (exchanged?.fresh) await keepCaches(repo, inside, caches!);
  await noteWriter(inside.cwd, caches);
  await emptySubmodules(inside.cwd, index);
  const empty = await fillSubmodules(repo, linked, commit, true);
  const pointers = await fillPointers(repo, inside, index);
  const changed = await differingFiles(repo, { ...inside, commit });
  if (changed.length > 0) throw new FurrowError('SLOT_UNCLEAN', `${linked.path} cannot be brought to ${commit}`);
  // Git makes it by the umask; furrow's files are for its user alone.
  await chmod(inside.env.GIT_INDEX_FILE, 0o600);
  await copyFile(inside.env.GIT_INDEX_FILE, join(linked.admin, 'index'));
  await clockMoved(inside.cwd, pointers.length > 0 ? await indexAt(inside, commit) : index);
  return { ...inside, commit, pointers, empty };
}

const checkOut = (repo: Repo, inside: Inside, commit: string) => git(repo, ['checkout', '--quiet', '--detach', '-f', commit, '--'], inside);

/** Gives files a time of change of now. Only files of the commit: another path may lead through a link of it, out of the slot. */
async function writeAnew(repo: Repo, inside: InSlotGit, commit: string, paths: readonly string[]): Promise<void> {
  const changed = new Set(paths);
  const { files } = await indexAt(inside, commit);
  for (const { path } of files) if (changed.has(path)) await rm(bytePath(inside.cwd, path), { force: true });
  await checkOut(repo, inside, commit);
}

async function indexAt(inside: InSlotGit, id: string): Promise<SlotIndex> {
  const index = await readSlotIndex(inside.env.GIT_INDEX_FILE, hashBytes(id));
  if (!index)
    throw new FurrowError('SLOT_INDEX', `git wrote an index that furrow cannot read: ${inside.env.GIT_INDEX_FILE}`, {
      hint: 'furrow doctor',
    });
  return index;
}

type InSlotGit = Inside & {
  readonly env: { readonly GIT_DIR: string; readonly GIT_INDEX_FILE: string };
  /** False on a file system without an executable bit. */
  readonly modes: boolean;
};

/**
 * Git in a slot sees only the repository's objects: neither `.git/config` nor `info/attributes`. The files are those of a clone, no filter
 * runs, and git cannot be told to overlook a change.
 */
async function inSlot(repo: Repo, linked: Linked, commit: string) {
  const [place, aside] = [inWorktree(repo, linked), await sharedAside(repo, commit)];
  const env = {
    ...aside.git.env,
    ...place.env,
    GIT_DIR: linked.admin,
    GIT_COMMON_DIR: aside.dir,
    GIT_INDEX_FILE: indexOf(repo, place.cwd),
  };
  const modes = await keepsModes(join(place.cwd, '.git'));
  return { ...place, env, config: [...CONFIG, `core.fileMode=${modes}`], modes };
}

/** False on a file system without an executable bit, such as a Windows share: modes cannot be compared there. */
async function keepsModes(file: string): Promise<boolean> {
  const { mode } = await lstat(file);
  await chmod(file, mode | 0o100);
  const on = ((await lstat(file)).mode & 0o100) !== 0;
  await chmod(file, mode & ~0o100);
  return on && ((await lstat(file)).mode & 0o100) === 0;
}

async function makeSlot(repo: Repo, path: string, commit: string): Promise<Linked> {
  return withRepo(repo, async () => {
    const { trash } = placesOf(repo.root);
    const old = await linkedAt(repo, path);
    if (old) await discard(old.admin, trash, `slot-${old.name}`);
    const index = indexOf(repo, path);
    await mkdir(dirname(index), { recursive: true, mode: 0o700 });
    for (const file of [index, `${index}.lock`]) await rm(file, { force: true });
    await forgetWriter(path);
    if (await lstat(path).catch(() => undefined)) await discard(path, await trashNear(repo, path), `slot-${basename(path)}`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return register(repo, path, { head: commit });
  });
}

/** Tracked files that differ from the commit. */
export async function changedFiles(repo: Repo, inside: InSlot): Promise<string[]> {
  const { folders } = await indexAt(inside, inside.commit);
  const pipes = blockingPipes(inside.cwd, folders);
  if (pipes.length > 0) return pipes.map((path) => Buffer.from(path, 'latin1').toString('utf8'));
  return differingFiles(repo, inside);
}

/** Does the same where nothing can make git wait. Git is asked only when a file is not as it wrote it. */
async function differingFiles(repo: Repo, inside: InSlotGit & { readonly commit: string }): Promise<string[]> {
  const index = await indexAt(inside, inside.commit);
  return (await isUntouched(inside.cwd, index, inside.modes)) ? [] : statusOf(repo, inside);
}

/** Files that a command added to its index. */
export async function stagedFiles(repo: Repo, inside: InSlot): Promise<string[]> {
  const given = { ...inside, env: { ...inside.env, GIT_INDEX_FILE: join(inside.env.GIT_DIR, 'index') } };
  return (await git(repo, ['diff-index', '--cached', '--name-only', '--no-renames', '-z', inside.commit], given))
    .split('\0')
    .filter(Boolean);
}

async function statusOf(repo: Repo, inside: Inside): Promise<string[]> {
  const look = ['status', '--porcelain', '-z', '--untracked-files=no', '--no-renames', '--ignore-submodules=dirty'];
  const lines = (await git(repo, look, inside)).split('\0').filter(Boolean);
  return lines.map((line) => line.slice(3));
}
