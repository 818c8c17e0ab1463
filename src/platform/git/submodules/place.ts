import { constants } from 'node:fs';
import { lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, readSmall, writeWhole } from '../../files.ts';
import { placesOf } from '../../places.ts';
import type { GitOptions, Repo } from '../run.ts';

/** A submodule that furrow filled: its path in the worktree, its commit, and the folders of its repository. */
export interface Filled {
  readonly path: string;
  readonly commit: string;
  /** Below the registration of the worktree, for whoever works there: they can write to it. */
  readonly theirs: string;
  /** Where nobody inside a fence can write: the index by which a change is found. */
  readonly ours: string;
  /** The objects of the person's own clone. */
  readonly objects: string;
}

/** The folder with furrow's notes about the submodules of one worktree. */
export const notesOf = (repo: Repo, worktree: string) => join(placesOf(repo.root).dir, 'submodules', worktree);

const LIST = 'list.json';

/** Those that furrow filled in a worktree, by its own notes. */
export async function filledIn(repo: Repo, worktree: string): Promise<readonly Filled[]> {
  const text = await readIfThere(join(notesOf(repo, worktree), LIST));
  return text === undefined ? [] : (JSON.parse(text) as Filled[]);
}

export async function noteFilled(repo: Repo, worktree: string, filled: readonly Filled[]): Promise<void> {
  const notes = notesOf(repo, worktree);
  if (filled.length === 0) return rm(notes, { recursive: true, force: true });
  await mkdir(notes, { recursive: true, mode: 0o700 });
  await writeWhole(join(notes, LIST), JSON.stringify(filled));
}

/** Options for a git of ours: a repository of our own over the objects of the person's clone. It reads no configuration of anybody's. */
export function gitIn({ ours, objects }: Pick<Filled, 'ours' | 'objects'>, files: string): GitOptions & { readonly cwd: string } {
  const env = {
    GIT_DIR: ours,
    GIT_COMMON_DIR: ours,
    GIT_WORK_TREE: files,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_INDEX_FILE: join(ours, 'index'),
  };
  return { cwd: files, env };
}

/** Makes a git folder whose objects are elsewhere. */
export async function makeFolder(
  folder: string,
  commit: string,
  config: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  await mkdir(join(folder, 'refs'), { recursive: true, mode: 0o700 });
  await mkdir(join(folder, 'objects', 'info'), { recursive: true, mode: 0o700 });
  const format = commit.length === 64 ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  const core = `[core]\n\trepositoryformatversion = ${format ? 1 : 0}\n\tbare = false\n${config}${format}`;
  for (const [name, text] of Object.entries({ HEAD: `${commit}\n`, config: core, ...more }))
    await writeFile(join(folder, name), text, { mode: 0o600 });
}

/** False when a part of a path is there and is no folder: a link of an agent's would lead elsewhere. */
export async function isPlainWay(root: string, path: string): Promise<boolean> {
  let at = root;
  for (const part of path.split('/')) {
    at = join(at, part);
    const found = await lstat(at).catch(() => undefined);
    if (found === undefined) return true;
    if (!found.isDirectory()) return false;
  }
  return true;
}

/** The text of a git folder's `HEAD`; undefined when it is no plain file, or no small one. */
export const headOf = (folder: string): string | undefined => readSmall(join(folder, 'HEAD'), constants.O_NOFOLLOW)?.trim();
