import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { bytePath } from '../../platform/files.ts';
import { readBlobs } from '../../platform/git/blobs.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import type { Checkout } from './checkouts.ts';
import type { Change, Move } from './move.ts';

/** A file that our git began to write and could not finish, on a full disk, say. */
interface Torn {
  readonly path: string;
  /** The hash of its content as git left it; `gone` when git had only removed the old file. */
  readonly left: string;
  /** The commit before has a file of that name. */
  readonly before: boolean;
}

/** By the git folder of a checkout. Only in memory: after a restart nobody can prove who wrote these files, and the person is asked. */
const known = new Map<string, readonly Torn[]>();

/**
 * Remembers what a `read-tree -u` that failed while writing left in a checkout. Git refuses before its first write when the user has
 * changes on a path, so the beginning of the new content, or no file at all, is git's work.
 */
export async function noteTorn(repo: Repo, move: Move): Promise<void> {
  const blobs = await readBlobs(
    repo,
    { git: {} },
    move.changes.map(({ oid }) => oid),
  );
  const torn = move.changes.flatMap((one, at) => tornAt(move, one, blobs[at]) ?? []);
  if (torn.length > 0) known.set(move.gitDir, torn);
}

function tornAt(move: Move, { path, status }: Change, blob: Buffer | undefined): Torn | undefined {
  const [bytes, before] = [contentAt(move, path), status !== 'A'];
  if (bytes === undefined) return before ? { path, left: 'gone', before } : undefined;
  return bytes !== 'other' && blob?.subarray(0, bytes.length).equals(bytes) ? { path, left: hashOf(bytes), before } : undefined;
}

/**
 * Restores the old file, or none, where the content is still as git left it. Fails while there is no room; then it is tried again later.
 */
export async function restoreTorn(repo: Repo, { path: root, gitDir }: Checkout): Promise<void> {
  const torn = known.get(gitDir);
  if (!torn) return;
  const ours = torn.filter(({ path, left }) => stateOf(contentAt({ path: root }, path)) === left);
  for (const { path, before, left } of ours) if (!before && left !== 'gone') await unlink(bytePath(root, path));
  const old = ours.filter(({ before }) => before).map(({ path }) => `${path}\0`);
  if (old.length > 0) await git(repo, ['checkout-index', '-f', '-z', '--stdin'], { cwd: root, input: Buffer.from(old.join(''), 'latin1') });
  known.delete(gitDir);
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const stateOf = (content: Buffer | 'other' | undefined) =>
  content === undefined ? 'gone' : content === 'other' ? content : hashOf(content);

/** `other`: a folder, a link, or anything else that is no file. */
function contentAt({ path: root }: Pick<Checkout, 'path'>, path: string): Buffer | 'other' | undefined {
  const file = bytePath(root, path);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return undefined;
  return found.isFile() ? readFileSync(file) : 'other';
}
