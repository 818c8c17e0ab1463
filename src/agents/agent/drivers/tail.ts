import { type FSWatcher, watch } from 'node:fs';
import { access, type FileHandle, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isErrno } from '../../../platform/error.ts';

const CHUNK = 256 * 1024;
const NEWLINE = 10;

export interface Tail {
  readonly file: string;
  /** Resolves when everything that is in the file now has been passed on. */
  read(): Promise<void>;
  close(): void;
}

/**
 * Passes on the whole lines of a file, from its beginning and then as they come; `past` is true for those that were there at the first
 * look. The file need not exist yet, nor the folders above it. An incomplete line waits for its rest. It has one watcher and no timer: a
 * file at rest costs nothing.
 */
export function tail(file: string, give: (lines: readonly string[], past: boolean) => void, failed: (error: unknown) => void): Tail {
  let offset = 0;
  let rest: Buffer = Buffer.alloc(0);
  let past = true;
  let closed = false;
  let running: Promise<void> | undefined;
  let again = false;

  const readOnce = async () => {
    await watching.arm();
    const handle = await openIfThere(file);
    if (!handle) {
      past = false;
      return;
    }
    try {
      // The file was written anew: its lines were passed on before, and are passed on again as past.
      if ((await handle.stat()).size < offset) [offset, rest, past] = [0, Buffer.alloc(0), true];
      for (let bytes = await next(handle, offset); bytes.length > 0 && !closed; bytes = await next(handle, offset)) {
        offset += bytes.length;
        const all = Buffer.concat([rest, bytes]);
        const end = all.lastIndexOf(NEWLINE) + 1;
        rest = all.subarray(end);
        if (end > 0) give(all.toString('utf8', 0, end - 1).split('\n'), past);
      }
      past = false;
    } finally {
      await handle.close();
    }
  };

  const pump = async () => {
    do {
      again = false;
      await readOnce().catch(failed);
    } while (again && !closed);
    running = undefined;
  };

  const read = () => {
    if (closed) return Promise.resolve();
    again = true;
    running ??= pump();
    return running;
  };

  const watching = nearest(file, () => void read(), failed);
  return {
    file,
    read,
    close() {
      closed = true;
      watching.close();
    },
  };
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  return open(file, 'r').catch((error: unknown) => {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return undefined;
    throw error;
  });
}

async function next(handle: FileHandle, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, position);
  return buffer.subarray(0, bytesRead);
}

/** Watches the folder of a file, or the nearest one above it that there is, until there is more. */
function nearest(file: string, changed: () => void, failed: (error: unknown) => void) {
  let at: string | undefined;
  let watcher: FSWatcher | undefined;
  let closed = false;
  const noticed = (folder: string) => (_: string, name: string | null) => {
    if (folder !== dirname(file) || name === null || name === basename(file)) changed();
  };
  return {
    /** Looks again once it watches: a folder made in between has told nobody. */
    async arm() {
      for (let folder = await nearestFolder(file); folder !== at && !closed; folder = await nearestFolder(file)) {
        watcher?.close();
        at = folder;
        watcher = watch(folder, noticed(folder)).on('error', failed);
      }
    },
    close() {
      closed = true;
      watcher?.close();
    },
  };
}

async function nearestFolder(file: string): Promise<string> {
  let folder = dirname(file);
  while (!(await there(folder)) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

const there = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
