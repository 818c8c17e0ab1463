import { randomBytes } from 'node:crypto';
import { mkdir, rename, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { isErrno } from '../error.ts';
import type { Repo } from './run.ts';

const deflated = promisify(deflate);

/** An object by its id, which follows from its content. */
interface LooseObject {
  readonly type: 'commit' | 'blob';
  readonly id: string;
  readonly raw: Uint8Array;
}

/** Writes an object as git does, in a file of its own, without starting a process. If it is already there, only its time is renewed. */
export async function writeLoose({ gitDir }: Repo, { type, id, raw }: LooseObject): Promise<void> {
  const folder = join(gitDir, 'objects', id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (await touched(path)) return;
  await mkdir(folder, { recursive: true });
  // Git's own clean-up knows this name and removes the file if we are killed in between.
  const beside = join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(beside, await deflated(Buffer.concat([Buffer.from(`${type} ${raw.length}\0`), raw])), { flag: 'wx', mode: 0o444 });
    await rename(beside, path);
  } catch (error) {
    await unlink(beside).catch(() => {});
    throw error;
  }
}

async function touched(path: string): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(path, now, now);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}
