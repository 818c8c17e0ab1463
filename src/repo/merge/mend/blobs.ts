import type { Stage } from '../../../platform/git/merge-output.ts';
import type { Aside } from '../../../platform/git/own-object-store.ts';
import { git, type Repo } from '../../../platform/git/run.ts';

/** A blob of exactly these bytes. */
export async function writeBytes(repo: Repo, aside: Aside, bytes: Uint8Array): Promise<string> {
  return git(repo, ['hash-object', '-w', '--stdin'], { ...aside.git, input: bytes });
}

/** A tree with some files replaced, made through a private index. */
export async function editTree(repo: Repo, aside: Aside, tree: string, files: ReadonlyMap<string, Stage>): Promise<string> {
  await git(repo, ['read-tree', tree], aside.git);
  const input = [...files].map(([path, { mode, oid }]) => `${mode} ${oid}\t${path}\0`).join('');
  await git(repo, ['update-index', '-z', '--index-info'], { ...aside.git, input });
  return git(repo, ['write-tree'], aside.git);
}

/** True if a text still has conflict markers. A file that always has such lines is left to people. */
export function hasMarkers(bytes: Buffer): boolean {
  return /^(<{7}|>{7}|\|{7})( |\r?$)/m.test(bytes.toString('latin1'));
}

/** git's own rule: a zero byte among the first 8,000. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8000).includes(0);
}
