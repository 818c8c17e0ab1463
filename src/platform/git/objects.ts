import { git, type Repo } from './run.ts';
import type { Authored, Identity } from './user.ts';

export async function writeBlob(repo: Repo, data: string | Uint8Array): Promise<string> {
  return git(repo, ['hash-object', '-w', '--stdin'], { input: data });
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: Authored;
  readonly committer: Identity;
  /** The commit time in milliseconds, and the author's time unless the author names one. */
  readonly at: number;
}

/** Writes a commit object and moves no ref. The same input gives the same id, so it is safe to repeat. */
export async function commitTree(repo: Repo, commit: NewCommit): Promise<string> {
  // With `@`: git reads a bare number of less than nine digits as a day.
  const date = `@${Math.floor(commit.at / 1000)} +0000`;
  const parents = commit.parents.flatMap((parent) => ['-p', parent]);
  return git(repo, ['commit-tree', commit.tree, ...parents, '-F', '-'], {
    input: commit.message,
    config: ['i18n.commitEncoding=UTF-8'],
    env: {
      GIT_AUTHOR_NAME: commit.author.name,
      GIT_AUTHOR_EMAIL: commit.author.email,
      GIT_AUTHOR_DATE: commit.author.date === undefined ? date : `@${commit.author.date}`,
      GIT_COMMITTER_NAME: commit.committer.name,
      GIT_COMMITTER_EMAIL: commit.committer.email,
      GIT_COMMITTER_DATE: date,
    },
  });
}

/** The paths that differ between two commits or trees; a rename counts as two paths. */
export async function diffPaths(repo: Repo, a: string, b: string): Promise<string[]> {
  const out = await git(repo, [
    'diff-tree',
    '-r',
    '-z',
    '--name-only',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--end-of-options',
    a,
    b,
  ]);
  return out.split('\0').filter(Boolean);
}

/** The number of lines added and removed between two commits or trees; a binary file counts as one. */
export async function changedLines(repo: Repo, a: string, b: string): Promise<number> {
  const out = await git(repo, [
    'diff-tree',
    '-r',
    '-z',
    '--numstat',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--end-of-options',
    a,
    b,
  ]);
  const counted = out.split('\0').filter(Boolean);
  return counted.reduce((sum, line) => {
    const [added, removed] = line.split('\t');
    return sum + (added === '-' ? 1 : Number(added) + Number(removed));
  }, 0);
}
