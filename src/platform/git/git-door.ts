import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FurrowError, isErrno } from '../error.ts';
import { privateFolder, readSmall } from '../files.ts';
import { quotedIfNeeded } from '../shell.ts';
import { userFolder } from '../user-folder.ts';
import type { Setting } from './config-files.ts';

/**
 * The files of the repository that a git of ours sees, beside those of the worktree's own git folder. It never reads the others: `config`
 * with all that it includes, `config.worktree`, `hooks`, `info/grafts` (a commit is what its id says), `remotes`, `branches`, `rr-cache`.
 */
const LINKS = [
  ...['refs', 'packed-refs', 'reftable', 'logs', 'objects', 'worktrees'],
  // The branch that the main worktree has checked out: no git of ours may delete it.
  'HEAD',
  // Where a shallow clone's history ends. Without it every walk fails at the first parent that is not there.
  'shallow',
  // They change what is ignored and which bytes a checkout has, as in the person's own git, and can name no program by themselves.
  ...['info/exclude', 'info/attributes'],
];

/** Extensions of the repository format that change how files of `.git` are read, with the values that we hand on. */
const FORMATS: Readonly<Record<string, RegExp>> = { objectformat: /^sha(?:1|256)$/, refstorage: /^(?:files|reftable)$/ };
/** Extensions that need not be known: no git of ours fetches, deletes objects, or reads a worktree's own configuration. */
const PASSED_OVER = new Set(['noop', 'noop-v1', 'partialclone', 'preciousobjects', 'worktreeconfig', 'relativeworktrees']);
/** For a partial clone: git accepts that promised objects are missing. No remote of this name exists that it could ask for them. */
const PROMISED = '[remote "none"]\n\tpromisor = true\n';

/**
 * Makes the git door of a repository: a folder of ours that takes the place of its shared git folder (`GIT_COMMON_DIR`). Links lead to the
 * real refs, objects and locks; the configuration is ours. It is in the user's own folder, where neither the repository nor a fenced agent
 * can write, so that opening an untrusted repository changes nothing in it. Its name is a hash of its content, so it never changes.
 */
export async function openDoor(gitDir: string, settings: readonly Setting[]): Promise<string> {
  const config = configOf(gitDir, settings);
  const name = createHash('sha256').update(`${gitDir}\0${config}\0${LINKS.join()}`).digest('hex').slice(0, 32);
  try {
    const home = await privateFolder(join(await privateFolder(userFolder()), 'git'));
    const door = join(home, name);
    if (isWhole(door, gitDir, config)) return door;
    await dropOthers(home);
    return await place(await make(home, gitDir, config), door, () => isWhole(door, gitDir, config));
  } catch (error) {
    if (error instanceof FurrowError || !isRefused(error)) throw error;
    return temporary(gitDir, config);
  }
}

function configOf(gitDir: string, settings: readonly Setting[]): string {
  const own = settings.filter(({ file }) => file === join(gitDir, 'config'));
  const extensions = own.filter(({ key }) => key.startsWith('extensions.')).map(({ key, value }) => [key.slice(11), value] as const);
  const unknown = extensions.find(([name, value]) => !PASSED_OVER.has(name) && !FORMATS[name]?.test(value));
  if (unknown)
    throw new FurrowError('GIT_EXTENSION', `the repository needs the extension ${unknown.join(' = ')}, which furrow does not know`, {
      hint: `git config --file ${quotedIfNeeded(join(gitDir, 'config'))} --get-regexp extensions`,
    });
  const handed = [...new Map(extensions.filter(([name]) => name in FORMATS))].map(([name, value]) => `\t${name} = ${value}\n`);
  const partial = own.some(({ key }) => key === 'extensions.partialclone' || /^remote\..*\.promisor$/s.test(key));
  return [
    `[core]\n\trepositoryformatversion = ${handed.length > 0 ? 1 : 0}\n\tbare = false\n`,
    handed.length > 0 ? `[extensions]\n${handed.join('')}` : '',
    partial ? PROMISED : '',
  ].join('');
}

function isWhole(door: string, gitDir: string, config: string): boolean {
  if (readSmall(join(door, 'config')) !== config) return false;
  return LINKS.every((name) => linkOf(join(door, name)) === join(gitDir, name));
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

async function make(home: string, gitDir: string, config: string): Promise<string> {
  const folder = await mkdtemp(join(home, 'new-'));
  await mkdir(join(folder, 'info'), { mode: 0o700 });
  for (const name of LINKS) await symlink(join(gitDir, name), join(folder, name));
  await writeFile(join(folder, 'config'), config, { mode: 0o600 });
  return folder;
}

/** Another process may have made the same one meanwhile: then that one stays, as it is in use. A damaged one is replaced. */
async function place(made: string, door: string, whole: () => boolean): Promise<string> {
  for (const damaged = `${made}-damaged`; ; await rename(door, damaged)) {
    const placed = await rename(made, door).then(
      () => true,
      (error: unknown) => {
        if (!isErrno(error, 'ENOTEMPTY') && !isErrno(error, 'EEXIST') && !isErrno(error, 'ENOTDIR')) throw error;
        return false;
      },
    );
    if (placed) return door;
    if (!whole()) continue;
    await rm(made, { recursive: true, force: true });
    return door;
  }
}

/** A door that was not finished within an hour belongs to a killed process. */
const UNFINISHED_MS = 3_600_000;

/** Removes the doors of repositories that are gone. */
async function dropOthers(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const path = join(home, name);
    const unfinished = name.startsWith('new-');
    const made = unfinished ? (lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) : 0;
    const lives = unfinished ? Date.now() - made < UNFINISHED_MS : await stat(join(path, 'objects')).catch(() => undefined);
    if (!lives) await rm(path, { recursive: true, force: true });
  }
}

const isRefused = (error: unknown) => ['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR'].some((code) => isErrno(error, code));

/** Makes a door for this process only, where the user's own folder cannot be written. */
async function temporary(gitDir: string, config: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'furrow-door-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  return make(home, gitDir, config);
}
