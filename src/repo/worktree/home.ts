import { access, chmod, constants, lstat, mkdir, readdir, rmdir, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import type { FarmFile } from '../../platform/farm-file.ts';
import { readIfThere, writeWhole } from '../../platform/files.ts';
import type { Repo } from '../../platform/git/run.ts';
import { remove } from '../../platform/git/trash.ts';
import { isBelow, usualHome } from '../../platform/places.ts';

/** The file that names the owner of the folder. A folder of that name may be left from another repository, and is then never used. */
const MARK = 'furrow.json';

/**
 * Takes the first folder that can be ours for the worktrees and slots: the stored one, the configured one, the usual one beside the
 * repository, or one below the user's home where the parent cannot be written or is part of another repository.
 */
export async function takeHome(repo: Repo, id: string, asked: string | undefined, stored?: string): Promise<string> {
  const refused: string[] = [];
  for (const home of [...(stored ? [stored] : []), ...(await candidates(repo.root, id, asked))]) {
    const problem = await claim(home, id, repo.gitDir).catch((error: Error) => error.message);
    if (problem === undefined) return home;
    refused.push(`${home}: ${problem}`);
  }
  throw new FurrowError('NO_HOME', `there is no folder for furrow's worktrees (${refused.join('; ')})`, {
    hint: 'set `worktree.root` in furrow.yaml to a folder that you can write',
  });
}

async function candidates(root: string, id: string, asked: string | undefined): Promise<string[]> {
  if (asked !== undefined) return [askedHome(root, asked)];
  const usual = usualHome(root);
  const far = join(homedir(), 'furrow', `${basename(usual, '.furrow')}-${id}`);
  const parent = dirname(root);
  const beside = (await writable(parent)) && !(await insideRepository(parent));
  return beside ? [usual, `${usual.slice(0, -'.furrow'.length)}-${id}.furrow`, far] : [far];
}

/** `worktree.root`. It must not be inside the checkout: a check there would find the user's files by looking upwards. */
function askedHome(root: string, asked: string): string {
  const home = resolve(root, asked.replace(/^~(?=\/)/, homedir()));
  if (!isBelow(home, root) && !isBelow(root, home)) return home;
  throw new FurrowError('BAD_ROOT', `worktree.root is ${home}, which is not outside the checkout ${root}`, {
    hint: `set \`worktree.root: ../${basename(usualHome(root))}\` in furrow.yaml`,
  });
}

const writable = (folder: string) =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );

async function insideRepository(folder: string): Promise<boolean> {
  if (await lstat(join(folder, '.git')).catch(() => undefined)) return true;
  return dirname(folder) !== folder && insideRepository(dirname(folder));
}

/** Makes the folder ours, or says why it cannot be. An empty one is free. */
async function claim(home: string, id: string, gitDir: string): Promise<string | undefined> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const stat = await lstat(home);
  if (!stat.isDirectory()) return 'it is not a folder';
  if (!(await writable(home))) return 'it cannot be written';
  const owner = await ownerOf(home);
  if (owner && owner.id !== id) return `it belongs to the repository of ${owner.gitDir}`;
  if (!owner && (await readdir(home)).length > 0) return 'it has files, and no furrow.json that says whose it is';
  if ((stat.mode & 0o077) !== 0) await chmod(home, 0o700);
  if (owner?.gitDir === gitDir) return undefined;
  const mark = { about: 'Worktrees and check slots of furrow.', id, gitDir };
  await writeWhole(join(home, MARK), `${JSON.stringify(mark)}\n`);
  return undefined;
}

/** The id that this repository had when it last took its home, for a farm that lost its own file. */
export async function idInHome(repo: Repo, asked: string | undefined): Promise<string | undefined> {
  const owner = await ownerOf(asked === undefined ? usualHome(repo.root) : askedHome(repo.root, asked));
  return owner?.gitDir === repo.gitDir ? owner.id : undefined;
}

async function ownerOf(home: string): Promise<Pick<FarmFile, 'id' | 'gitDir'> | undefined> {
  const text = await readIfThere(join(home, MARK));
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as FarmFile;
  } catch {
    return { id: '', gitDir: 'somebody (its furrow.json cannot be read)' };
  }
}

/** Removes a home that is no longer used, if it is empty. */
export async function leaveHome(home: string): Promise<void> {
  // They are made again at the next place.
  for (const folder of ['templates', 'caches']) await remove(join(home, folder));
  for (const folder of ['worktrees', 'slots', 'trash']) await removeEmpty(join(home, folder));
  if ((await readdir(home).catch(() => [])).join() !== MARK) return;
  await unlink(join(home, MARK));
  await rmdir(home).catch(() => {});
}

async function removeEmpty(folder: string, depth = 2): Promise<void> {
  if (depth > 0) for (const name of await readdir(folder).catch(() => [])) await removeEmpty(join(folder, name), depth - 1);
  await rmdir(folder).catch(() => {});
}
