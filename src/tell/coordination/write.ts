import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { privateFolder, removeSync } from '../../platform/files.ts';

/** Brings the files of a folder to the given content. */
export interface FolderWriter {
  /** Writes what differs, removes what is no longer there, and answers how many files were touched. */
  write(files: ReadonlyMap<string, string>): Promise<number>;
}

const FOLDERS = ['agent_locks', 'task_queue', 'merge_queue', 'inboxes', 'outboxes'];

/**
 * Nothing reads these files back, so they are not synced to the disk: after a power cut the next daemon writes them anew.
 * Each is written beside and renamed, so a reader finds a whole one; and read-only, because a change in it would change nothing.
 */
export function folderWriter(folder: string): FolderWriter {
  let known: Map<string, string> | undefined;
  return {
    async write(files) {
      known ??= await there(folder);
      let touched = 0;
      for (const [path, text] of files) {
        if (known.get(path) === text) continue;
        replace(join(folder, path), text);
        known.set(path, text);
        touched++;
      }
      for (const path of [...known.keys()].filter((one) => !files.has(one))) {
        removeSync(join(folder, path));
        known.delete(path);
        touched++;
      }
      return touched;
    },
  };
}

/** Reads the files that an earlier daemon left, makes the folders for new ones, and removes files that it had half written. */
async function there(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  await privateFolder(folder);
  for (const sub of FOLDERS) await privateFolder(join(folder, sub));
  for (const path of ['registry.json', ...(await namesIn(folder))]) {
    const text = await readFile(join(folder, path), 'utf8').catch(() => undefined);
    if (text !== undefined) found.set(path, text);
  }
  return found;
}

async function namesIn(folder: string): Promise<string[]> {
  const all = await Promise.all(FOLDERS.map(async (sub) => (await readdir(join(folder, sub))).map((name) => `${sub}/${name}`)));
  return all.flat();
}

function replace(path: string, text: string): void {
  const beside = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(beside, text, { flag: 'wx', mode: 0o400 });
    renameSync(beside, path);
  } catch (error) {
    removeSync(beside);
    // Somebody removed the folder: it is there again for the next try. Not the checkout above it, which a person may be removing.
    for (const folder of [dirname(dirname(path)), dirname(path)]) makeSync(folder);
    throw error;
  }
}

function makeSync(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there, or what is above it is not.
  }
}
