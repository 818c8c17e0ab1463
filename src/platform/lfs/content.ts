import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { encodePointer, objectPath, POINTER_BYTES, parsePointer } from './pointer.ts';

export interface Store {
  /** git-lfs's own folder, `.git/lfs` as a rule. */
  readonly storage: string;
  /** Content is only hashed: somebody looks and keeps nothing. */
  readonly dry: boolean;
}

/** The pointer for a file's content, which is stored on the way. A pointer stays as it is, and so does an empty file. */
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
    if (beside) keep(beside, objectPath(store.storage, oid), size);
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

/** Synced before it gets its name: a commit that names it may be all that is left after a power cut. */
function keep(beside: { fd: number; path: string }, path: string, size: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === size) return;
  fsyncSync(beside.fd);
  mkdirSync(dirname(path), { recursive: true });
  renameSync(beside.path, path);
}

/**
 * The content that a blob stands for, in parts; the blob itself when it is no pointer, or when its content is not on this
 * machine. Nothing is ever fetched: that takes the user's credentials, and a server's time.
 */
export function* smudge(store: Store, blob: Buffer): Generator<Uint8Array> {
  const pointer = parsePointer(blob);
  const fd = pointer && !pointer.extended ? openObject(objectPath(store.storage, pointer.oid), pointer.size) : undefined;
  if (fd === undefined) {
    yield blob;
    return;
  }
  try {
    const part = Buffer.alloc(1 << 20);
    for (let got = readSync(fd, part); got > 0; got = readSync(fd, part)) yield part.subarray(0, got);
  } finally {
    closeSync(fd);
  }
}

/** One that was cut short by a crash has another size, and is as good as missing. */
function openObject(path: string, size: number): number | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const fd = openSync(path, 'r');
  if (fstatSync(fd).size === size) return fd;
  closeSync(fd);
  return undefined;
}
