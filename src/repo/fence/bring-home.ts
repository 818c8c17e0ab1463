import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import { writeWhole } from '../../platform/files.ts';
import type { Linked } from '../../platform/git/admin.ts';
import { createRef, moveRef, resolve } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import { bringLargeFiles } from './large-files.ts';
import type { OwnGit } from './own-git.ts';
import { bringObjects } from './own-objects.ts';
import { type OwnRefs, readOwnRefs } from './own-refs.ts';
import { bringRegistration } from './registration.ts';

interface Homecoming {
  readonly repo: Repo;
  readonly linked: Linked;
  readonly branch: string;
  readonly own: OwnGit;
  /** Objects that were brought home before. New ones are added. */
  readonly brought: Set<string>;
  /** The folder of large files of git-lfs, if the person has it. */
  readonly large?: string | undefined;
  /** The prefix of refs that keep commits on no branch of the agent's; absent: only the branch is brought. */
  readonly keep?: string;
}

/**
 * Brings the work of an agent from its own repository into ours: first the objects, checked; then its branch; then the registration. No git
 * runs in that repository: all of it is read as data, from plain files only. Safe to repeat.
 */
export async function bringHome(order: Homecoming): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) if (await broughtHome(order)) return;
  throw notHome('it is being written to just now');
}

/** An agent at work may stage a file after its objects were copied and before its index is; then it is done again. */
const TRIES = 3;

const fingerprintOf = async (index: string) => {
  const found = await lstat(index, { bigint: true }).catch(() => undefined);
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
};

async function broughtHome({ repo, linked, branch, own, brought, large, keep }: Homecoming): Promise<boolean> {
  const theirs = join(own.folder, 'worktrees', linked.name);
  const fingerprint = await fingerprintOf(join(theirs, 'index'));
  // Refs before objects: then the objects that they name are there.
  const now = readOwnRefs(own.folder, linked.name);
  await bringObjects(repo, own.folder, brought).catch((error: Error) => {
    throw notHome(error.message);
  });
  if (large !== undefined) await bringLargeFiles(own.folder, large);
  const ref = `refs/heads/${branch}`;
  const tip = now.refs.get(ref);
  if (tip === undefined) throw notHome(`its branch ${branch} is gone or broken`);
  await moveBranch(repo, ref, tip);
  if ((await fingerprintOf(join(theirs, 'index'))) !== fingerprint) return false;
  await bringRegistration(theirs, linked.admin);
  await writeHead(repo, linked, ref, now);
  if (keep) for (const oid of changed(now.refs, await readFile(own.refs, 'utf8'), ref)) await keepCommit(repo, keep, oid);
  return true;
}

const notHome = (why: string) =>
  new FurrowError('NOT_BROUGHT_HOME', `the work in the agent's own repository could not be taken over: ${why}`, { hint: 'furrow doctor' });

async function moveBranch(repo: Repo, ref: string, tip: string): Promise<void> {
  const at = await resolve(repo, ref);
  if (tip === at) return;
  if ((await resolve(repo, tip)) !== tip) throw notHome(`${tip.slice(0, 12)} is no commit`);
  const moved = await moveRef(repo, { ref, to: tip, from: at ?? null, message: 'furrow: brought home' });
  if (!moved.moved) throw notHome(`${ref} moved meanwhile`);
}

/** The ids of refs that changed since the repository was made, except its own branch. */
function changed(refs: OwnRefs['refs'], before: string, branch: string): string[] {
  const known = new Set(before.split('\n'));
  return [...refs].flatMap(([name, oid]) => (name === branch || known.has(`${oid} ${name}`) ? [] : [oid]));
}

/** If the agent is on another branch than that of its task, HEAD is set to its commit, because that branch is not ours. */
async function writeHead(repo: Repo, linked: Linked, ref: string, { head, refs }: OwnRefs): Promise<void> {
  const oid = head === undefined ? undefined : (refs.get(head) ?? (head.startsWith('refs/') ? undefined : head));
  const detached = head === ref || !oid ? undefined : await resolve(repo, oid);
  const text = head === ref ? `ref: ${ref}` : detached;
  if (text !== undefined && text !== linked.head) await writeWhole(join(linked.admin, 'HEAD'), `${text}\n`, 0o644);
}

/** Named by its id, because the agent chose the other name. */
async function keepCommit(repo: Repo, keep: string, oid: string): Promise<void> {
  const commit = await resolve(repo, oid);
  if (commit) await createRef(repo, `${keep}-${commit.slice(0, 16)}`, commit);
}
