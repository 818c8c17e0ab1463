import { closeSync, fstatSync, openSync, readSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isErrno } from '../../platform/error.ts';

/** Hands over what is written into a file, as the file system tells of it, until `ended` resolves; then the rest of it. */
export async function follow(path: string, from: number, ended: Promise<unknown>, show: (bytes: Buffer) => void): Promise<void> {
  let at = from;
  const read = () => {
    at = readOn(path, at, show);
  };
  // The folder, because the file may not be there yet, and may be cut and begun again.
  const watcher = watch(dirname(path), (_event, name) => {
    if (name === null || name === basename(path)) read();
  });
  try {
    read();
    await ended;
    read();
  } finally {
    watcher.close();
  }
}

const CHUNK = 64 * 1024;

/** Reads a file from a position to its end; answers the new position. One that has become shorter was begun again. */
function readOn(path: string, from: number, show: (bytes: Buffer) => void): number {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return from;
    throw error;
  }
  try {
    let at = fstatSync(file).size < from ? 0 : from;
    for (;;) {
      const chunk = Buffer.alloc(CHUNK);
      const count = readSync(file, chunk, 0, CHUNK, at);
      if (count === 0) return at;
      at += count;
      show(chunk.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
}
