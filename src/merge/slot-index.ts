import { readFile } from 'node:fs/promises';
import type { GitOptions } from '../platform/git/run.ts';

/** The options that git is run with in a slot. */
export type Inside = GitOptions & { readonly cwd: string };

/** A file as git wrote it into a slot. The path is latin1: one character a byte. */
export interface SlotFile {
  readonly path: string;
  readonly mode: number;
  readonly oid: string;
  /** Times in milliseconds with their fractions, as `lstat` gives them; the inode and the size as git keeps them, 32 bits of each. */
  readonly ctime: number;
  readonly mtime: number;
  readonly ino: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
}

/** The index of a slot, by what must be looked at. */
export interface SlotIndex {
  /** All but submodules. */
  readonly files: readonly SlotFile[];
  /** Folders that hold tracked files, the top one first and each before what is in it. */
  readonly folders: readonly string[];
  readonly submodules: readonly string[];
  /** The `.gitattributes` files. */
  readonly attributes: readonly SlotFile[];
}

export const SUBMODULE = 0o160000;
const HEADER = 12;
const STATS = 40;
const EXTENDED = 0x4000;

/** Reads an index that git wrote in version 2 or 3 of its format (`git help gitformat-index`); `undefined` for any other file, and for none. */
export async function readSlotIndex(file: string, hashBytes: number): Promise<SlotIndex | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  const entries = bytes && parseEntries(bytes, hashBytes);
  if (!entries) return undefined;
  const files = entries.filter(({ mode }) => mode !== SUBMODULE);
  return {
    files,
    folders: foldersOf(entries),
    submodules: entries.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => path),
    attributes: files.filter(({ path }) => path.endsWith('.gitattributes')),
  };
}

function parseEntries(bytes: Buffer, hashBytes: number): SlotFile[] | undefined {
  if (bytes.length < HEADER || bytes.toString('latin1', 0, 4) !== 'DIRC' || ![2, 3].includes(bytes.readUInt32BE(4))) return undefined;
  const entries: SlotFile[] = [];
  let at = HEADER;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flags = at + STATS + hashBytes;
    if (flags + 2 > bytes.length) return undefined;
    const name = flags + ((bytes.readUInt16BE(flags) & EXTENDED) !== 0 ? 4 : 2);
    const end = bytes.indexOf(0, name);
    if (end < 0) return undefined;
    const number = (n: number) => bytes.readUInt32BE(at + 4 * n);
    entries.push({
      path: bytes.toString('latin1', name, end),
      ctime: milliseconds(number(0), number(1)),
      mtime: milliseconds(number(2), number(3)),
      ino: number(5),
      mode: number(6),
      oid: bytes.toString('hex', at + STATS, flags),
      uid: number(7),
      gid: number(8),
      size: number(9),
    });
    // Each entry is filled up with 1 to 8 zeros.
    at += (end - at + 8) & ~7;
  }
  return entries;
}

/** Computed as Node does, so that the same time is the same number, to a quarter of a microsecond. */
const milliseconds = (seconds: number, nanoseconds: number) => seconds * 1000 + nanoseconds / 1_000_000;

/** True when git would write the same bytes for the same files: it does not look at them again by itself when attributes change. */
export function sameAttributes(a: SlotIndex, b: SlotIndex): boolean {
  const named = ({ attributes }: SlotIndex) => JSON.stringify(attributes.map(({ path, oid }) => [path, oid]));
  return named(a) === named(b);
}

function foldersOf(entries: readonly SlotFile[]): string[] {
  const folders = new Set<string>();
  for (const { path } of entries) {
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      const folder = path.slice(0, cut);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  // By their letters a folder comes before what is in it.
  return ['', ...[...folders].sort()];
}
