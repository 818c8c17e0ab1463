import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { encodePointer, objectPath, POINTER_BYTES, type Pointer, parsePointer } from './pointer.ts';

export interface Store {
  /** git-lfs's own folder, `.git/lfs` as a rule. */
  readonly storage: string;
  /** Content is only hashed and not stored, for a caller that only looks. */
  readonly dry: boolean;
}

/** Stores a file's content and returns its pointer. A pointer and an empty file stay as they are. */
export function clean(store: Store, content: Iterable<Buffer>): Buffer {
  const hash = createHash('sha256');
  const begun: Buffer[] = [];
  let size = 0;
  const beside = store.dry ? undefined : openBeside(store.storage);
  try {
    for (const part of content) {
      if (size <= POINTER_BYTES) begun.push(part);
      size += part.length;
      hash.update(part);
      if (beside) for (let at = 0; at < part.length; ) at += writeSync(beside.fd, part, at);
    }
    const first = Buffer.concat(begun);
    if (size === 0 || parsePointer(size > POINTER_BYTES ? Buffer.alloc(0) : first)) return first;
    const oid = hash.digest('hex');
    if (beside) keep(beside, objectPath(store.storage, oid));
    return Buffer.from(encodePointer({ oid, size }));
  } finally {
    if (beside) {
      closeSync(beside.fd);
      rmSync(beside.path, { force: true });
    }
  }
}

function openBeside(storage: string): { fd: number; path: string } {
  mkdirSync(`${storage}/tmp`, { recursive: true });
  const path = `${storage}/tmp/furrow-${process.pid}-${randomBytes(6).toString('hex')}`;
  return { fd: openSync(path, 'wx', 0o644), path };
}

/**
 * Synced before it gets its name: after a power cut only a commit that names it may be left. A file that already has the name is replaced,
 * because it may be anything.
 */
function keep(beside: { fd: number; path: string }, path: string): void {
  fsyncSync(beside.fd);
  mkdirSync(dirname(path), { recursive: true });
  renameSync(beside.path, path);
}

/**
 * The content that a blob stands for, in parts; the blob itself when it is no pointer, or when its content is not on this machine. It never
 * fetches: that would need the user's credentials and a server.
 */
export function* smudge(store: Store, blob: Buffer): Generator<Uint8Array> {
  const pointer = parsePointer(blob);
  const fd = pointer && !pointer.extended ? openObject(store.storage, pointer) : undefined;
  if (fd === undefined) {
    yield blob;
    return;
  }
  try {
    const hash = createHash('sha256');
    for (const part of partsOf(fd)) {
      hash.update(part);
      yield part;
    }
    if (hash.digest('hex') !== pointer?.oid) throw new Error(`${pointer?.oid} was changed while it was read`);
  } finally {
    closeSync(fd);
  }
}

function* partsOf(fd: number): Generator<Uint8Array> {
  const part = Buffer.alloc(1 << 20);
  for (let at = 0, got = readSync(fd, part, 0, part.length, 0); got > 0; got = readSync(fd, part, 0, part.length, at)) {
    at += got;
    yield part.subarray(0, got);
  }
}

/**
 * Opens a plain file in the storage that has the size and the hash of the pointer. A file that a crash cut short, that somebody else put
 * there, or that a link leads to counts as missing: otherwise its writer could choose the content, or a file of ours.
 */
function openObject(storage: string, { oid, size }: Pointer): number | undefined {
  const path = objectPath(storage, oid);
  let fd: number | undefined;
  try {
    if (realpathSync.native(path) !== objectPath(realpathSync.native(storage), oid)) return undefined;
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(fd);
    if (found.isFile() && found.size === size && hashOf(fd) === oid) return fd;
  } catch {
    // It is not there, or we may not read it.
  }
  if (fd !== undefined) closeSync(fd);
  return undefined;
}

function hashOf(fd: number): string {
  const hash = createHash('sha256');
  for (const part of partsOf(fd)) hash.update(part);
  return hash.digest('hex');
}
