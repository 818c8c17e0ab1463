import { lstat, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../platform/error.ts';
import type { Finished } from '../platform/exec.ts';
import { writeWhole } from '../platform/files.ts';
import type { Linked } from '../platform/git/admin.ts';
import { takePack } from '../platform/git/checked-pack.ts';
import { createRef, moveRef, resolve } from '../platform/git/refs.ts';
import type { Repo } from '../platform/git/run.ts';
import { FARM_BRANCHES, type OwnGit } from './own-git.ts';
import { bringRegistration } from './registration.ts';

/** The refs of an agent's own repository that are not as they were when it was made, and its HEAD. */
export interface Listed {
  readonly head: string | undefined;
  readonly refs: readonly { readonly ref: string; readonly oid: string }[];
}

/** Runs a line of `sh` inside the fence of that repository, with no network. Whatever it does happens there. */
export type Inside = (line: string, options: { input?: string; outputFd?: number }) => Promise<Finished>;

export interface Homecoming {
  readonly repo: Repo;
  readonly linked: Linked;
  readonly branch: string;
  readonly own: OwnGit;
  readonly inside: Inside;
  /** Commits that are surely known: their history is not looked at. */
  readonly known: readonly string[];
  /** The prefix of refs that keep what is on no branch of the agent's; absent: only the branch is brought. */
  readonly keep?: string;
}

const LIST = `git for-each-ref --format='%(objectname) %(refname)'; printf 'HEAD '; git symbolic-ref -q HEAD || git rev-parse -q --verify HEAD`;

/** All that is in this repository and not borrowed: of its branches, what was amended away, and what is staged. */
const PACK = 'git pack-objects -q --revs --reflog --indexed-objects --local --stdout 2>/dev/null | head -c 4294967296';

const OID = /^[0-9a-f]{40,64}$/;

/** A branch whose commit is not there is in no listing. */
const isThere = (listing: string, ref: string) => listing.split('\n').some((line) => line.endsWith(` ${ref}`) && !line.startsWith('HEAD '));

/** Reads the listing. It comes from inside: whatever is no ref of git's is passed over. */
export function readListing(text: string, before: string): Listed {
  const known = new Set(before.split('\n'));
  const lines = text.split('\n').filter(Boolean);
  const head = lines.find((line) => line.startsWith('HEAD '))?.slice('HEAD '.length);
  const refs = lines.flatMap((line) => {
    const [, oid = '', ref = ''] = /^([0-9a-f]{40,64}) (refs\/[^\0-\x20~^:?*[\\\x7f]+)$/.exec(line) ?? [];
    return oid && !known.has(line) && !ref.startsWith(FARM_BRANCHES) && !/\.\.|\/\/|@\{|\.lock$|[/.]$/.test(ref) ? [{ ref, oid }] : [];
  });
  return { head, refs };
}

/**
 * Brings the work of an agent from its own repository into ours: objects first, checked; then its branch; then the registration.
 * No git of ours looks into that repository: one inside the fence writes a pack, and ours takes it as data. Safe to repeat.
 */
export async function bringHome(order: Homecoming): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) if (await broughtHome(order)) return;
  throw notHome('it is being written to just now');
}

/** An agent at work may stage another file between the pack and the copy of its index; then once more. */
const TRIES = 3;

const markOf = async (index: string) => {
  const found = await lstat(index, { bigint: true }).catch(() => undefined);
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
};

async function broughtHome(order: Homecoming): Promise<boolean> {
  const { repo, linked, branch, own, inside, known, keep } = order;
  const theirs = join(own.folder, 'worktrees', linked.name);
  const mark = await markOf(join(theirs, 'index'));
  const listing = await inside(LIST, {});
  const { head, refs } = readListing(listing.stdout, await readFile(own.refs, 'utf8'));
  const ref = `refs/heads/${branch}`;
  const at = await resolve(repo, ref);
  const tips = [...refs.map(({ oid }) => oid), ...(head && OID.test(head) ? [head] : [])];
  await bringObjects(order, [...tips, ...[...known, ...(at ? [at] : [])].map((oid) => `^${oid}`)]);
  const tip = refs.find((one) => one.ref === ref)?.oid;
  if (tip && tip !== at) await moveBranch(repo, ref, tip, at);
  if (tip === undefined && !isThere(listing.stdout, ref)) throw notHome(`its branch ${branch} is gone or broken`);
  if ((await markOf(join(theirs, 'index'))) !== mark) return false;
  await bringRegistration(theirs, linked.admin);
  await writeHead(repo, linked, ref, head, refs);
  if (keep) for (const one of refs) if (one.ref !== ref) await keepCommit(repo, keep, one.oid);
  return true;
}

async function bringObjects({ repo, own, inside }: Homecoming, revs: readonly string[]): Promise<void> {
  const file = join(repo.gitDir, 'objects', 'pack', `tmp_furrow_${own.folder.split('/').slice(-2).join('_')}`);
  const pack = await open(file, 'w', 0o600);
  try {
    const done = await inside(PACK, { input: `${revs.join('\n')}\n`, outputFd: pack.fd });
    if (done.code !== 0) throw notHome(`git inside its fence ended with ${done.code ?? done.signal}`);
  } finally {
    await pack.close();
  }
  await takePack(repo, file).catch((error: Error) => {
    throw notHome(error.message);
  });
}

const notHome = (why: string) =>
  new FurrowError('NOT_BROUGHT_HOME', `the work in the agent's own repository could not be taken over: ${why}`, { hint: 'furrow doctor' });

async function moveBranch(repo: Repo, ref: string, tip: string, at: string | undefined): Promise<void> {
  if (!(await resolve(repo, tip))) throw notHome(`${tip.slice(0, 12)} is no commit`);
  const moved = await moveRef(repo, { ref, to: tip, from: at ?? null, message: 'furrow: brought home' });
  if (!moved.moved) throw notHome(`${ref} moved meanwhile`);
}

/** Another branch of the agent's than the one of its task is not ours: HEAD is then at its commit. */
async function writeHead(repo: Repo, linked: Linked, ref: string, head: string | undefined, refs: Listed['refs']): Promise<void> {
  const oid = head && OID.test(head) ? head : (refs.find((one) => one.ref === head)?.oid ?? head);
  const detached = head === ref || !oid ? undefined : await resolve(repo, oid);
  const text = head === ref ? `ref: ${ref}` : detached;
  if (text !== undefined && text !== linked.head) await writeWhole(join(linked.admin, 'HEAD'), `${text}\n`, 0o644);
}

/** By its id: the name that the agent gave it is the agent's. */
async function keepCommit(repo: Repo, keep: string, oid: string): Promise<void> {
  const commit = await resolve(repo, oid);
  if (commit) await createRef(repo, `${keep}-${commit.slice(0, 16)}`, commit);
}
