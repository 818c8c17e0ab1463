import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FurrowError } from '../error.ts';
import { quotedIfNeeded } from '../shell.ts';
import { turn } from '../turn.ts';
import { isGitFolder, isHead, read } from './find.ts';

/**
 * Files of the shared git folder that git never makes as links. Git quotes their lines in messages, so a link would show any file of the
 * person's.
 */
const NEVER_LINKS: ReadonlySet<string> = new Set(['packed-refs', 'shallow', 'objects/info/alternates', 'index']);

const MB = 1024 * 1024;

/**
 * A bound above the size of each file in any real repository. Git reads them whole: 2 GB of zeros as `info/exclude` kill it, without a
 * message that names the file.
 */
const LARGEST: Readonly<Record<string, number>> = {
  HEAD: MB,
  'objects/info/alternates': MB,
  shallow: 100 * MB,
  'info/exclude': 100 * MB,
  'info/attributes': 100 * MB,
  'packed-refs': 1024 * MB,
  index: 1024 * MB,
};

/** The turn in which a folder was found in order: gits that are asked together are asked about one look. */
const inOrder = new Map<string, number>();

/**
 * Refuses a shared git folder that would make our git read a file elsewhere, or one without an end. `HEAD` may be a link to a branch: old
 * versions of git made it so. A `commondir`, which only a linked worktree has, would make git look for refs elsewhere, whatever the
 * environment says.
 */
export function assertReadable(gitDir: string): void {
  if (inOrder.get(gitDir) === turn()) return;
  look(gitDir);
  inOrder.set(gitDir, turn());
}

function look(gitDir: string): void {
  const common = join(gitDir, 'commondir');
  if (stateOf(common)) throw broken(common, 'leads to other refs, and is for linked worktrees only', `mv ${quotedIfNeeded(common)} /tmp/`);
  for (const [name, most] of Object.entries(LARGEST)) {
    const file = join(gitDir, name);
    const found = stateOf(file);
    if (found?.isSymbolicLink() && (NEVER_LINKS.has(name) || (name === 'HEAD' && !leadsToRef(file))))
      throw new FurrowError('LINK_IN_GIT', `${file} is a link, which no git of furrow's follows: it may lead to any file of yours`, {
        hint: `ls -l ${quotedIfNeeded(file)}`,
      });
    const size = found?.isSymbolicLink() ? sizeBehind(file) : (found?.size ?? 0);
    if (size > most) throw broken(file, `has ${Math.round(size / MB)} MB, which no git of furrow's reads`, `ls -l ${quotedIfNeeded(file)}`);
  }
}

function stateOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Git follows a link to it, too. */
function sizeBehind(path: string): number {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? found.size : 0;
  } catch {
    return 0;
  }
}

function leadsToRef(path: string): boolean {
  try {
    return /^refs\/(?!.*\.\.)/.test(readlinkSync(path));
  } catch {
    return true;
  }
}

/** Names the file because of which git does not accept a folder with objects and refs. Git itself does not name it. */
export function brokenFolder(here: string): FurrowError | undefined {
  const shared = read(join(here, 'commondir'))?.trim();
  if (shared !== undefined && !isGitFolder(resolve(here, shared)))
    return broken(
      join(here, 'commondir'),
      'leads to no git folder, so git finds no repository here',
      `mv ${quotedIfNeeded(join(here, 'commondir'))} /tmp/`,
    );
  const head = join(here, 'HEAD');
  if (!isFolder(join(here, 'objects')) || !isFolder(join(here, 'refs')) || isHead(read(head) ?? '')) return undefined;
  return broken(
    head,
    'names neither a branch nor a commit, so git finds no repository here',
    `ls -l ${quotedIfNeeded(head)}; git reads "ref: refs/heads/BRANCH" there`,
  );
}

const broken = (path: string, what: string, hint: string) => new FurrowError('BROKEN_GIT_FOLDER', `${path} ${what}`, { hint });

/** The first folder upwards that has a `.git` folder which git does not accept. */
export function brokenAbove(from: string): { readonly folder: string; readonly why: FurrowError } | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const here = join(folder, '.git');
    const why = isFolder(here) ? brokenFolder(here) : undefined;
    if (why) return { folder, why };
    if (isFolder(here) || dirname(folder) === folder) return undefined;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
