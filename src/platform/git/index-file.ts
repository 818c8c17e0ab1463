import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';

/** A file as git noted it in an index. The path is latin1: one character a byte. */
export interface IndexEntry {
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
  /** 1 to 3 for the sides of a conflict. */
  readonly stage: number;
  /** It has flags that only git understands fully: to be added later, left out of a sparse checkout. */
  readonly marked: boolean;
}

export const SUBMODULE = 0o160000;
const HEADER = 12;
const STATS = 40;
const EXTENDED = 0x4000;

/** Some 500,000 files. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The shortest end of an index: its checksum. */
const HASH = 20;

/** The entries of an index that git wrote in version 2 or 3 of its format (`git help gitformat-index`); `undefined` for any other file. */
export function parseIndex(bytes: Buffer, hashBytes: number): IndexEntry[] | undefined {
  if (bytes.length < HEADER || bytes.toString('latin1', 0, 4) !== 'DIRC' || ![2, 3].includes(bytes.readUInt32BE(4))) return undefined;
  const entries: IndexEntry[] = [];
  let at = HEADER;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flags = at + STATS + hashBytes;
    if (flags + 2 > bytes.length) return undefined;
    const word = bytes.readUInt16BE(flags);
    const marked = (word & EXTENDED) !== 0;
    const name = flags + (marked ? 4 : 2);
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
      stage: (word >> 12) & 3,
      marked,
    });
    // Each entry is filled up with 1 to 8 zeros.
    at += (end - at + 8) & ~7;
  }
  return isWhole(bytes.subarray(at)) ? entries : undefined;
}

/** True when what follows the entries shows that they are complete: not split over two files, and no folder that stands for its files. */
function isWhole(rest: Buffer): boolean {
  for (let at = 0; at + 8 <= rest.length - HASH; at += 8 + rest.readUInt32BE(at + 4))
    if (['link', 'sdir'].includes(rest.toString('latin1', at, at + 4))) return false;
  return true;
}

/** Computed as Node does, so that the same time is the same number, to a quarter of a microsecond. */
const milliseconds = (seconds: number, nanoseconds: number) => seconds * 1000 + nanoseconds / 1_000_000;

/** The folders that hold these files, each before the folders inside it. */
export function foldersOf(entries: readonly { readonly path: string }[]): string[] {
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

/** Does the same for a file: its checksum tells how long ids are. `undefined`: only git can read it. */
export async function readIndex(file: string): Promise<IndexEntry[] | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isFile() || found.size > MOST_BYTES) return undefined;
  const bytes = await readFile(file, { flag: constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW }).catch(() => undefined);
  const hash = bytes && (['sha1', 'sha256'] as const).find((name) => isSummed(bytes, name));
  return hash && parseIndex(bytes, hash === 'sha1' ? 20 : 32);
}

function isSummed(bytes: Buffer, name: 'sha1' | 'sha256'): boolean {
  const size = name === 'sha1' ? 20 : 32;
  return bytes.length > size && createHash(name).update(bytes.subarray(0, -size)).digest().equals(bytes.subarray(-size));
}
