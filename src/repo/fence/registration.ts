import { lstat, mkdir, readdir, rename, rm, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FIXED } from './git-folder.ts';
import { openPlainly } from './open-without-links.ts';

/** Files that are furrow's own, or decided elsewhere. */
const NOT_THEIRS = new Set([...FIXED, 'HEAD', 'locked', 'furrow-setup', 'modules']);
const DEEPEST = 3;
const MOST_FILES = 5000;

/**
 * Brings the registration of a worktree to the state of the agent's own one: its index, and the files of a merge or rebase under way. It
 * copies plain files only, and renames each into place. Their content is still data of the agent's.
 */
export async function bringRegistration(from: string, to: string): Promise<void> {
  await mirror(from, to, DEEPEST, { left: MOST_FILES });
}

async function mirror(from: string, to: string, depth: number, room: { left: number }): Promise<void> {
  const theirs = (name: string) => !name.endsWith('.lock') && !(depth === DEEPEST && NOT_THEIRS.has(name));
  const brought = new Set<string>();
  for (const name of (await readdir(from)).filter(theirs)) {
    const source = join(from, name);
    const found = await lstat(source).catch(() => undefined);
    if (found?.isDirectory() && depth > 0) {
      await folderAt(join(to, name));
      await mirror(source, join(to, name), depth - 1, room);
    } else if (found?.isFile() && room.left-- > 0) await bring(source, join(to, name));
    else continue;
    brought.add(name);
  }
  for (const name of (await readdir(to)).filter(theirs)) if (!brought.has(name)) await rm(join(to, name), { recursive: true, force: true });
}

/** Makes a folder there, and removes a file or a link in its place. */
async function folderAt(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isDirectory()) await unlink(path);
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** Copies a file with its time, rounded down: git takes a file for possibly changed when it is not older than the index. */
async function bring(from: string, to: string): Promise<void> {
  const file = await openPlainly(from);
  if (!file) return;
  const beside = `${to}.furrow`;
  try {
    const found = await file.stat();
    const there = await lstat(to).catch(() => undefined);
    if (there?.isDirectory()) await rm(to, { recursive: true, force: true });
    const seconds = Math.floor(found.mtimeMs / 1000);
    if (there?.isFile() && there.size === found.size && there.ctimeMs > found.ctimeMs && Math.floor(there.mtimeMs / 1000) === seconds)
      return;
    await unlink(beside).catch(() => {});
    await writeFile(beside, await file.readFile(), { flag: 'wx', mode: 0o600 });
    await utimes(beside, seconds, seconds);
    await rename(beside, to);
  } finally {
    await file.close();
  }
}
