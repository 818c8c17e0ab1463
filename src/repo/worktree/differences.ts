import { lstat } from 'node:fs/promises';
import { isErrno } from '../../platform/error.ts';
import { bytePath } from '../../platform/files.ts';
import type { Linked } from '../../platform/git/admin.ts';
import { type GitOptions, git, type Repo } from '../../platform/git/run.ts';
import { isSpecial } from '../../platform/git/status.ts';

/** The differences of a worktree from its HEAD, which `freeze.ts` puts into a tree. Paths are latin1. */
interface Differences {
  /** Something is staged, or unmerged. */
  readonly staged: boolean;
  /** Files that differ from the index, or are not in it. */
  readonly present: readonly string[];
  readonly gone: readonly string[];
  readonly nested: readonly string[];
}

/**
 * Lists the differences for `freeze.ts` with one git. It does not use `add -A`, which starts a git inside each submodule (see `changes` in
 * `platform/git/status.ts`). A nested repository is listed with a slash at its end and stays where it is.
 */
export async function differences(repo: Repo, linked: Linked, options: GitOptions, hasHead: boolean): Promise<Differences> {
  const { tracked, untracked } = await (hasHead ? byStatus : byIndex)(repo, options);
  const present: string[] = [];
  const gone: string[] = [];
  for (const { unmerged, files, path } of tracked.filter((one) => one.unmerged || one.files !== '.')) {
    const there = unmerged ? await exists(linked, path) : files !== 'D';
    // A pipe is in a file's place: git cannot store it, and fails on it. The file stays in the tree as it was.
    if (!there) gone.push(path);
    else if (!isSpecial(linked.path ?? '', path)) present.push(path);
  }
  const [nested, others] = [untracked.filter((path) => path.endsWith('/')), untracked.filter((path) => !path.endsWith('/'))];
  return { staged: tracked.some((one) => one.unmerged || one.staged !== '.'), present: [...present, ...others], gone, nested };
}

interface Tracked {
  readonly path: string;
  readonly unmerged: boolean;
  /** Git's letter for the difference between HEAD and index (`staged`), and between index and file (`files`); `.` for none. */
  readonly staged: string;
  readonly files: string;
}

type Listed = { readonly tracked: readonly Tracked[]; readonly untracked: readonly string[] };

async function byStatus(repo: Repo, options: GitOptions): Promise<Listed> {
  const args = ['status', '--porcelain=v2', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=dirty'];
  const lines = (await git(repo, args, options)).split('\0').filter(Boolean);
  const [others, tracked] = [lines.filter((line) => line.startsWith('? ')), lines.filter((line) => !line.startsWith('? '))];
  return { tracked: tracked.map(parsed), untracked: others.map((line) => line.slice(2)) };
}

/** The path follows 8 fields, for an unmerged one 10. */
function parsed(line: string): Tracked {
  const unmerged = line.startsWith('u ');
  const path = line
    .split(' ')
    .slice(unmerged ? 10 : 8)
    .join(' ');
  return { unmerged, staged: line[2] ?? '', files: line[3] ?? '', path };
}

/** Does the same where HEAD has no commit, or a lost one: `status` fails then, and saving the files matters even more. */
async function byIndex(repo: Repo, options: GitOptions): Promise<Listed> {
  const [differ, others] = await Promise.all([
    git(repo, ['diff-files', '-z', '--name-status', '--no-renames', '--ignore-submodules=dirty'], options),
    git(repo, ['ls-files', '-z', '--others', '--exclude-standard'], options),
  ]);
  const fields = differ.split('\0');
  const found = new Map<string, Tracked>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [files = '', path = ''] = [fields[at], fields[at + 1]];
    // An unmerged path is listed twice, the second time against one of its sides.
    if (!found.has(path)) found.set(path, { path, unmerged: files === 'U', staged: 'A', files });
  }
  return { tracked: [...found.values()], untracked: others.split('\0').filter(Boolean) };
}

async function exists(linked: Linked, path: string): Promise<boolean> {
  return lstat(bytePath(linked.path ?? '', path)).then(
    () => true,
    (error: unknown) => {
      if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return false;
      throw error;
    },
  );
}
