import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { isErrno } from '../../platform/error.ts';
import { type Repo, tryGit } from '../../platform/git/run.ts';
import { userConfig } from '../../platform/git/user.ts';

/** The hooks of a worktree that are files in it. `changed`: one of them differs from both the base commit and the checkout. */
export interface OwnHooks {
  readonly folder: string | undefined;
  readonly changed: boolean;
}

/** A folder with more files than this holds something else than hooks. */
const MOST = 500;

/**
 * Looks at the hooks that git runs in a worktree. If `core.hooksPath` names a folder of the project, an agent can change what its next git
 * command runs.
 */
export async function ownHooks(repo: Repo, worktree: string, base: string): Promise<OwnHooks> {
  const folder = await hooksFolder(repo);
  if (folder === undefined) return { folder, changed: false };
  const files = folder === '' ? undefined : await filesBelow(join(worktree, folder));
  const known = folder === '' ? undefined : await idsIn(repo, base, folder);
  if (files === undefined || known === undefined || files.length > MOST) return { folder, changed: true };
  const there = new Set(files.map((file) => join(folder, file)));
  if ([...known.keys()].some((path) => !there.has(path))) return { folder, changed: true };
  for (const path of there) {
    const here = await contentOf(join(worktree, path));
    const same =
      here !== undefined && (isBlob(here, known.get(path)) || here.equals((await contentOf(join(repo.root, path))) ?? Buffer.of(0)));
    if (!same) return { folder, changed: true };
  }
  return { folder, changed: false };
}

/** The folder inside the repository that git runs hooks from; undefined: it is outside. */
export const hooksFolder = async (repo: Repo): Promise<string | undefined> => folderOf((await userConfig(repo)).hooksPath);

/** `''`: the worktree itself. The scripts that husky's hooks run are in the folder above them. */
function folderOf(hooksPath: string | undefined): string | undefined {
  if (hooksPath === undefined || hooksPath === '' || isAbsolute(hooksPath) || hooksPath.startsWith('~')) return undefined;
  const path = normalize(hooksPath).replace(/\/$/, '');
  if (path === '..' || path.startsWith('../')) return undefined;
  const folder = basename(path) === '_' ? dirname(path) : path;
  return folder === '.' ? '' : folder;
}

/** All files below it; undefined when a folder on the way is a link, which may lead anywhere. */
async function filesBelow(folder: string): Promise<string[] | undefined> {
  try {
    if ((await lstat(folder)).isSymbolicLink()) return undefined;
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    return undefined;
  }
}

async function idsIn(repo: Repo, commit: string, folder: string): Promise<Map<string, string> | undefined> {
  const listed = await tryGit(repo, ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--format=%(objectname) %(path)', commit, '--', folder]);
  if (listed.code !== 0) return undefined;
  const lines = listed.stdout.split('\0').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
}

/** Undefined for a link, whose target may change elsewhere, and for a file that cannot be read. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? await readFile(path).catch(() => undefined) : undefined;
}

function isBlob(content: Buffer, id: string | undefined): boolean {
  if (id === undefined) return false;
  const hash = createHash(id.length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content);
  return hash.digest('hex') === id;
}
