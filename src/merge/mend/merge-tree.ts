import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finished } from '../../platform/exec.ts';
import { type Repo, tryGit } from '../../platform/git/run.ts';
import { type Aside, withAside } from './aside.ts';
import { readBlobs } from './blobs.ts';

/**
 * `merge-tree --write-tree -z --messages` of two commits, given by id, as a function of the two alone. Attributes count
 * as `ours` has them, which is what a merge on a checkout of it would read; only git's own drivers (text, union,
 * binary) exist.
 */
export async function mergeTree(repo: Repo, ours: string, theirs: string): Promise<Finished> {
  const args = ['merge-tree', '--write-tree', '-z', '--messages', ours, theirs];
  return withAside(repo, ours, async (aside) => {
    const plain = await tryGit(repo, args, aside.git);
    // Attributes matter only where git had to look into files, which it names; without them one run is enough.
    const merged = messagesOf(plain.stdout).flatMap((message) => message.paths);
    if (!(await layAttributes(repo, aside, ours, merged))) return plain;
    return tryGit(repo, args, aside.git);
  });
}

export interface Message {
  readonly paths: readonly string[];
  /** `Auto-merging`, `CONFLICT (contents)`, `CONFLICT (file/directory)`, … */
  readonly type: string;
}

/** The last part of what `merge-tree -z` prints: after an empty field, `n, n paths, type, text` each. */
export function messagesOf(output: string): Message[] {
  const fields = output.split('\0');
  const empty = fields.indexOf('', 1);
  const messages: Message[] = [];
  for (let at = empty + 1; empty !== -1 && fields[at]; ) {
    const count = Number(fields[at]);
    messages.push({ paths: fields.slice(at + 1, at + 1 + count), type: fields[at + 1 + count] ?? '' });
    at += count + 3;
  }
  return messages;
}

/** What an attribute file must speak of to change a merge; `binary` is short for a `-merge`. Most only name line endings. */
const MATTERS = /merge|binary|conflict-marker-size/;

/** Puts the commit's attribute files that could say something about these paths where git looks for them. */
async function layAttributes(repo: Repo, aside: Aside, commit: string, paths: readonly string[]): Promise<boolean> {
  const files = [...new Set(paths.flatMap(attributeFiles))].filter(isPlain);
  const found = await readBlobs(
    repo,
    aside,
    files.map((file) => `${commit}:${file}`),
  );
  for (const [at, bytes] of found.entries()) {
    if (!bytes) continue;
    const file = join(aside.files, files[at]!);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return found.some((bytes) => bytes && MATTERS.test(bytes.toString('latin1')));
}

function attributeFiles(path: string): string[] {
  const folders = path.split('/').slice(0, -1);
  return [...folders.keys(), folders.length].map((depth) => [...folders.slice(0, depth), '.gitattributes'].join('/'));
}

/** A tree object may hold names that no checkout would accept; they must not lead us out of the folder. */
function isPlain(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
