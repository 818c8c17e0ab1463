import { git, type Repo } from '../../platform/git/run.ts';
import type { Stage } from '../conflict.ts';
import type { Aside } from './aside.ts';

/** Bytes of several objects by one git, each named by id or as `tree:path`; `undefined` for what is not there. */
export async function readBlobs(repo: Repo, aside: Aside, names: readonly string[]): Promise<(Buffer | undefined)[]> {
  if (names.length === 0) return [];
  const input = names.map((name) => `${name}\0`).join('');
  const output = await git(repo, ['cat-file', '--batch', '-z'], { ...aside.git, input, encoding: 'latin1' });
  let at = 0;
  return names.map((name) => {
    const header = /^[0-9a-f]{40,64} (\w+) (\d+)\n/.exec(output.slice(at, at + 120));
    if (!header) {
      at += Buffer.byteLength(name) + ' missing\n'.length;
      return undefined;
    }
    const start = at + header[0].length;
    const end = start + Number(header[2]);
    at = end + 1;
    // Past the limit on a command's output there is nothing to read, which must not pass for an empty file.
    return header[1] === 'blob' && end <= output.length ? Buffer.from(output.slice(start, end), 'latin1') : undefined;
  });
}

/** A blob of exactly these bytes. */
export async function writeBytes(repo: Repo, aside: Aside, bytes: Uint8Array): Promise<string> {
  return git(repo, ['hash-object', '-w', '--stdin'], { ...aside.git, input: bytes });
}

/** A tree with some files replaced, made through an index of its own. */
export async function editTree(repo: Repo, aside: Aside, tree: string, files: ReadonlyMap<string, Stage>): Promise<string> {
  await git(repo, ['read-tree', tree], aside.git);
  const input = [...files].map(([path, { mode, oid }]) => `${mode} ${oid}\t${path}\0`).join('');
  await git(repo, ['update-index', '-z', '--index-info'], { ...aside.git, input });
  return git(repo, ['write-tree'], aside.git);
}

/** Whether a text still has what git marks a conflict with; a file that has such lines for good is left to people. */
export function hasMarkers(bytes: Buffer): boolean {
  return /^(<{7}|>{7}|\|{7})( |\r?$)/m.test(bytes.toString('latin1'));
}

/** git's own rule: a zero byte among the first 8,000. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8000).includes(0);
}
