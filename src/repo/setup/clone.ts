import { lstat, mkdir, readFile, readlink, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyTree } from '../../platform/copy.ts';
import { FurrowError, isErrno } from '../../platform/error.ts';
import { moveAway, remove } from '../../platform/git/trash.ts';
import { isBelow } from '../../platform/places.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';
import { type Found, filesOf } from './template.ts';

let count = 0;

interface CloneOrder {
  readonly template: Found;
  /** The worktree or slot that gets it. */
  readonly to: string;
  /** Removes what is at a path. */
  readonly clear: (path: string) => Promise<unknown>;
}

/**
 * Gives a worktree its own copy of a template. The copy is made beside it, and each path is renamed into place, so that a half-copied
 * folder is never there. If killed and called again, it starts anew.
 */
export async function cloneTemplate({ template, to, clear }: CloneOrder, signal: AbortSignal): Promise<void> {
  if (template.paths.length === 0) return;
  const beside = join(dirname(template.folder), `cloning-${process.pid}-${Date.now()}-${count++}`);
  try {
    await copyTree(filesOf(template.folder), beside, signal);
    const place = await realpath(to);
    for (const path of template.rewrite) await rewrite(join(beside, path), template.place, place);
    for (const path of template.paths) await putInto(place, path, join(beside, path), clear);
  } finally {
    await remove(beside);
  }
}

async function putInto(root: string, path: string, from: string, clear: CloneOrder['clear']): Promise<void> {
  const to = join(root, path);
  await mkdir(dirname(to), { recursive: true });
  // A link among the tracked folders could lead out of the worktree.
  if (!isBelow(await realpath(dirname(to)), root))
    throw new FurrowError('SETUP_OUTSIDE', `${path} leads out of ${root}`, { hint: `ls -ld ${quotedIfNeeded(dirname(to))}` });
  if (await lstat(to).catch(() => undefined)) await clear(to);
  await rename(from, to).catch((error: unknown) => {
    if (!isErrno(error, 'EXDEV')) throw error;
    return moveAway(from, to);
  });
}

/** Replaces the old place by the new one in a file or a link. The file keeps its time, because programs compare it. */
async function rewrite(file: string, from: string, to: string): Promise<void> {
  const stats = await lstat(file);
  if (stats.isSymbolicLink()) {
    const target = await readlink(file);
    await rm(file);
    await symlink(
      target.replaceAll(from, () => to),
      file,
    );
    return;
  }
  // Bytes and not text: a file need not be UTF-8.
  const text = (await readFile(file)).toString('latin1');
  const [old, fresh] = [from, to].map((path) => Buffer.from(path).toString('latin1'));
  await writeFile(
    file,
    Buffer.from(
      text.replaceAll(old!, () => fresh!),
      'latin1',
    ),
  );
  await utimes(file, stats.atime, stats.mtime);
}

/** Restores single paths of a template that were changed; a path that the template does not have is removed. */
export async function restorePaths(template: Found, to: string, paths: readonly string[]): Promise<void> {
  const place = await realpath(to);
  for (const path of paths) {
    await remove(join(place, path));
    const source = join(filesOf(template.folder), path);
    if (!(await lstat(source).catch(() => undefined))) continue;
    await copyTree(source, join(place, path));
    for (const file of template.rewrite.filter((one) => isBelow(one, path))) await rewrite(join(place, file), template.place, place);
  }
}
