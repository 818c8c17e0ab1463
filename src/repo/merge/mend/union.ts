import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBlobs } from '../../../platform/git/blobs.ts';
import { type Aside, withAside } from '../../../platform/git/own-object-store.ts';
import { GitError, type Repo, tryGit } from '../../../platform/git/run.ts';
import { hasMarkers, isBinary, writeBytes } from './blobs.ts';
import type { Conflicted } from './rules.ts';

/** Longer than any underline that a person draws, so that a line of the file is never mistaken for a marker. */
const MARKER = 97;

/**
 * The lines of both sides, ours first, where both only added at the same place. `undefined` when the conflict includes an older line:
 * neither side wants both versions of a changed line.
 */
export async function unite(repo: Repo, file: Conflicted): Promise<string | undefined> {
  const { 1: base, 2: ours, 3: theirs } = file.stages;
  if (!ours || !theirs) return undefined;
  return withAside(repo, ours.oid, async (aside) => {
    const [first, second, before = Buffer.alloc(0)] = await readBlobs(repo, aside, [ours.oid, theirs.oid, ...(base ? [base.oid] : [])]);
    if (!first || !second || [first, second, before].some((bytes) => isBinary(bytes) || mayConfuse(bytes))) return undefined;
    await Promise.all([put(aside, 'ours', first), put(aside, 'base', before), put(aside, 'theirs', second)]);
    if (!onlyAdded(await mergeFile(repo, aside, ['--diff3', `--marker-size=${MARKER}`]))) return undefined;
    const united = Buffer.from(await mergeFile(repo, aside, ['--union']), 'latin1');
    return hasMarkers(united) ? undefined : writeBytes(repo, aside, united);
  });
}

const put = (aside: Aside, name: string, bytes: Buffer) => writeFile(join(aside.files, name), bytes);

/** Exits with the number of conflicts, at most 127. */
async function mergeFile(repo: Repo, aside: Aside, flags: readonly string[]): Promise<string> {
  const args = ['merge-file', '-p', ...flags, 'ours', 'base', 'theirs'];
  const done = await tryGit(repo, args, { ...aside.git, encoding: 'latin1' });
  if (done.code! > 127) throw new GitError(args, done);
  return done.stdout;
}

function mayConfuse(bytes: Buffer): boolean {
  return new RegExp(`^[|=]{${MARKER}}`, 'm').test(bytes.toString('latin1'));
}

/** True when the middle part (the old lines) of every region is empty. */
function onlyAdded(merged: string): boolean {
  const lines = merged.split('\n');
  const base = '|'.repeat(MARKER);
  return lines.every((line, at) => !line.startsWith(base) || lines[at + 1]?.startsWith('='.repeat(MARKER)));
}
