import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { copyFile, lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';

/**
 * Files attached to a task: a picture of what is wrong, a log, a specification. They are kept on the board, in `files/ID` beside the folder of its phase's
 * tasks, and copied into the worktree of each attempt, where git does not see them.
 */
export const ATTACHED = '.furrow-attached';

const MOST = 20;
const MOST_BYTES = 20 * 1024 * 1024;
const STRANGE = /^[.-]|[\x00-\x1f\x7f/\\`]/;

const phaseDirOf = (boardDir: string, file: string) => dirname(dirname(join(boardDir, file)));
const folderOf = (phaseDir: string, id: string) => join(phaseDir, 'files', id);

/** The paths of the files of a task, by its file on the board. No link is followed: whoever wrote the board may have made it. */
export function attachedTo(boardDir: string, file: string, id: string): string[] {
  if (file === '') return [];
  const folder = folderOf(phaseDirOf(boardDir, file), id);
  if (![dirname(folder), folder].every((one) => lstatSync(one, { throwIfNoEntry: false })?.isDirectory())) return [];
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && !STRANGE.test(entry.name));
  const paths = names.map(({ name }) => join(folder, name)).sort();
  return paths.filter((path) => statSync(path).size <= MOST_BYTES).slice(0, MOST);
}

/** Copies files of the person's to the board, before the task is there. */
export function attach(phaseDir: string, id: string, files: readonly string[]): void {
  if (files.length === 0) return;
  const folder = folderOf(phaseDir, id);
  mkdirSync(folder, { recursive: true });
  for (const file of files) copyFileSync(file, join(folder, basename(file)), constants.COPYFILE_EXCL);
}

/** Refuses what cannot be attached, before anything is written. */
export function checkAttachments(files: readonly string[], hint = 'furrow add "what to do" --attach FILE'): void {
  const refuse = (text: string): never => {
    throw new FurrowError('USAGE', text, { hint });
  };
  if (files.length > MOST) refuse(`${files.length} files are too many to attach: at most ${MOST}`);
  const names = files.map((file) => basename(file));
  for (const [at, file] of files.entries()) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) refuse(`${file} is not a file`);
    if (found!.size > MOST_BYTES) refuse(`${file} is too large to attach: at most 20 MB`);
    if (STRANGE.test(names[at]!)) refuse(`${file} cannot be attached under its name`);
    if (names.indexOf(names[at]!) !== at) refuse(`two of the files are called ${names[at]}`);
  }
}

/** Changes what is attached to a task that is on the board: first it takes files away, by their names, then it copies others. */
export function changeAttached(
  boardDir: string,
  { file, id }: { readonly file: string; readonly id: string },
  { attach: added = [], unattach: removed = [] }: { readonly attach?: readonly string[]; readonly unattach?: readonly string[] },
): void {
  checkAttachments(added, EDIT);
  const refuse = (text: string): never => {
    throw new FurrowError('USAGE', text, { hint: `furrow show ${id}` });
  };
  const phaseDir = phaseDirOf(boardDir, file);
  const folder = folderOf(phaseDir, id);
  for (const one of [dirname(folder), folder])
    if (lstatSync(one, { throwIfNoEntry: false })?.isDirectory() === false) refuse(`${one} is no folder, so nothing can be attached`);
  const names = attachedTo(boardDir, file, id).map((path) => basename(path));
  const gone = removed.map((path) => basename(path));
  for (const name of gone) if (!names.includes(name)) refuse(`${name} is not attached to ${id}`);
  const kept = names.filter((name) => !gone.includes(name));
  for (const name of added.map((path) => basename(path)))
    if (kept.includes(name)) refuse(`${name} is attached to ${id} already; add --unattach ${name} to replace it`);
  if (kept.length + added.length > MOST) refuse(`${id} would have ${kept.length + added.length} files attached: at most ${MOST}`);
  for (const name of gone) rmSync(join(folder, name));
  attach(phaseDir, id, added);
}

const EDIT = 'furrow edit TASK --attach FILE';

/** Puts the files of a task into its worktree, in place of those of the task before. */
export async function placeAttached(worktree: string, files: readonly string[]): Promise<void> {
  const folder = join(worktree, ATTACHED);
  if (await lstat(folder).catch(() => undefined)) await rm(folder, { recursive: true, force: true });
  if (files.length === 0) return;
  await mkdir(folder, { mode: 0o700 });
  // Git ignores the folder and this file in it.
  await writeFile(join(folder, '.gitignore'), '*\n');
  for (const file of files) await copyFile(file, join(folder, basename(file)));
}
