import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bytePath, readIfThere } from '../platform/files.ts';
import { type GitOptions, git, type Repo } from '../platform/git/run.ts';
import { resetModules } from './slot-modules.ts';

/** What git needs in a worktree's git folder. A lock is left there: git refuses then, and the slot is replaced. */
const NEEDED = /^(HEAD|commondir|gitdir|index|sharedindex\..*|.*\.lock|modules)$/;

/** Takes out of a slot's git folder what a check left there: configuration, refs, a merge half-way, a sparse checkout. */
export async function cleanGitFolder(repo: Repo, admin: string): Promise<void> {
  const left = (await readdir(admin)).filter((name) => !NEEDED.test(name));
  for (const name of left) await rm(join(admin, name), { recursive: true, force: true });
  const modules = join(admin, 'modules');
  if (await lstat(modules).catch(() => undefined)) await resetModules(repo, modules);
}

/** Removes every file that the commit does not have, but for ignored ones that a pattern of `caches` names. */
export async function cleanFiles(repo: Repo, inside: GitOptions & { cwd: string }, caches: readonly string[]): Promise<void> {
  // Twice -f: a check's own repositories among its leftovers must go too.
  await git(repo, ['clean', '-ffdxq', ...caches.flatMap((cache) => ['-e', cache])], inside);
  if (caches.length > 0) {
    const ignored = await excludedHere(repo);
    await git(repo, ['clean', '-ffdq', ...ignored.flatMap((line) => ['-e', line])], inside);
  }
  await sweep(repo, inside);
}

/** What the user ignores in this repository alone, and slots do not read: a cache may be ignored there. */
async function excludedHere(repo: Repo): Promise<string[]> {
  const text = (await readIfThere(join(repo.gitDir, 'info', 'exclude')).catch(() => undefined)) ?? '';
  return text.split('\n').filter((line) => line.trim() && !line.startsWith('#'));
}

/**
 * `git clean` looks neither into submodules nor at named pipes and sockets, and never at anything called `.git`. A
 * submodule's folder is emptied, as in a clone; a check that needs it runs `git submodule update --init`.
 */
async function sweep(repo: Repo, inside: GitOptions & { cwd: string }): Promise<void> {
  const at = (path: string) => bytePath(inside.cwd, path);
  const { folders, submodules } = layout(await git(repo, ['ls-files', '--stage', '-z'], { ...inside, encoding: 'latin1' }));
  await Promise.all(
    submodules.map(async (path) => {
      await rm(at(path), { recursive: true, force: true });
      await mkdir(at(path), { recursive: true });
    }),
  );
  const strange = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(at(folder), { withFileTypes: true, encoding: 'latin1' });
      const left = entries.filter((one) =>
        one.name === '.git' ? folder !== '' : !one.isFile() && !one.isDirectory() && !one.isSymbolicLink(),
      );
      return left.map((one) => (folder === '' ? one.name : `${folder}/${one.name}`));
    }),
  );
  for (const path of strange.flat()) await rm(at(path), { recursive: true, force: true });
}

/** The folders that hold tracked files, the top one included, and the paths of submodules; latin1. */
function layout(list: string): { folders: string[]; submodules: string[] } {
  const folders = new Set(['']);
  const submodules: string[] = [];
  for (const entry of list.split('\0').filter(Boolean)) {
    const path = entry.slice(entry.indexOf('\t') + 1);
    if (entry.startsWith('160000 ')) submodules.push(path);
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      const folder = path.slice(0, cut);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return { folders: [...folders], submodules };
}
