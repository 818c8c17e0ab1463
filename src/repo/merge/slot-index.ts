import { readFile } from 'node:fs/promises';
import { foldersOf, type IndexEntry, parseIndex, SUBMODULE } from '../../platform/git/index-file.ts';
import type { GitOptions } from '../../platform/git/run.ts';

/** The options that git is run with in a slot. */
export type Inside = GitOptions & { readonly cwd: string };

/** The index of a slot, sorted by what must be looked at. */
export interface SlotIndex {
  /** All but submodules. */
  readonly files: readonly IndexEntry[];
  /** Folders that hold tracked files, each before the folders inside it. */
  readonly folders: readonly string[];
  readonly submodules: readonly string[];
  /** The `.gitattributes` files. */
  readonly attributes: readonly IndexEntry[];
}

/** Reads an index that git wrote in version 2 or 3 of its format (`git help gitformat-index`); `undefined` for any other file, and for none. */
export async function readSlotIndex(file: string, hashBytes: number): Promise<SlotIndex | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  const entries = bytes && parseIndex(bytes, hashBytes);
  if (!entries) return undefined;
  const files = entries.filter(({ mode }) => mode !== SUBMODULE);
  return {
    files,
    folders: foldersOf(entries),
    submodules: entries.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => path),
    attributes: files.filter(({ path }) => path.endsWith('.gitattributes')),
  };
}

/** True when both indexes have the same attributes: when attributes change, git does not check out files again by itself. */
export function sameAttributes(a: SlotIndex, b: SlotIndex): boolean {
  const named = ({ attributes }: SlotIndex) => JSON.stringify(attributes.map(({ path, oid }) => [path, oid]));
  return named(a) === named(b);
}
