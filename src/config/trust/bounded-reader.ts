import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { couldNotLook, isErrno } from '../../platform/error.ts';

/** So much of one file is read, and so much altogether: configuration of git's with 20,000 branches has 2 MB. */
const FILE_BYTES = 4 * 1024 * 1024;
const ALL_BYTES = 32 * 1024 * 1024;
const FILES = 1000;
/** Entries of one folder. */
const ENTRIES = 5000;

/** Something changes it whenever the file or folder is written, replaced, made or removed. */
function fingerprintOf(path: string): string {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : '-';
  } catch (error) {
    if (couldNotLook(error)) throw error;
    return '?';
  }
}

/**
 * Reads files that a stranger may have made: never more than its bounds, never a pipe or a device, and nothing is left out in silence. It
 * remembers what it looked at, so that a later look can tell without reading whether anything changed.
 */
export class BoundedReader {
  readonly unread: { path: string; why: string }[] = [];
  readonly #fingerprints = new Map<string, string>();
  readonly #shown: (path: string) => string;
  #bytes = 0;
  #files = 0;

  constructor(shown: (path: string) => string) {
    this.#shown = shown;
  }

  /** True while everything is as it was. What could not be read is tried again every time. */
  isCurrent(): boolean {
    return this.unread.length === 0 && [...this.#fingerprints].every(([path, fingerprint]) => fingerprintOf(path) === fingerprint);
  }

  /** The bytes of a file; undefined when there is none, or when it is among the unread now. */
  file(path: string): Buffer | undefined {
    this.#see(path);
    let fd: number | undefined;
    try {
      fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const stat = fstatSync(fd);
      if (stat.isDirectory()) return this.refuse(path, 'it is a folder');
      if (!stat.isFile()) return this.refuse(path, 'it is no plain file');
      if (++this.#files > FILES) return this.refuse(path, `there are more than ${FILES} files to read`);
      return this.#bytesOf(fd, path);
    } catch (error) {
      if (couldNotLook(error)) throw error;
      if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return undefined;
      return this.refuse(path, `it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  /** The entries of a folder, by name; none when there is none, or when it is among the unread now. */
  folder(path: string): Dirent[] {
    this.#see(path);
    try {
      const entries = readdirSync(path, { withFileTypes: true });
      if (entries.length > ENTRIES) this.refuse(path, `it holds more than ${ENTRIES} files`);
      return entries.slice(0, ENTRIES).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      if (couldNotLook(error)) throw error;
      if (!isErrno(error, 'ENOENT') && !isErrno(error, 'ENOTDIR')) this.refuse(path, 'it cannot be listed');
      return [];
    }
  }

  refuse(path: string, why: string): undefined {
    this.unread.push({ path: this.#shown(path), why });
    return undefined;
  }

  /** Before it is read: what is written meanwhile makes the fingerprint an old one. */
  #see(path: string): void {
    if (!this.#fingerprints.has(path)) this.#fingerprints.set(path, fingerprintOf(path));
  }

  #bytesOf(fd: number, path: string): Buffer | undefined {
    const parts: Buffer[] = [];
    for (let size = 0; ; ) {
      const part = Buffer.allocUnsafe(64 * 1024);
      const read = readSync(fd, part);
      if (read === 0) return Buffer.concat(parts);
      size += read;
      this.#bytes += read;
      if (size > FILE_BYTES || this.#bytes > ALL_BYTES) return this.refuse(path, 'it is too large to be read whole');
      parts.push(part.subarray(0, read));
    }
  }
}
