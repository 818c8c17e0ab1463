import { createHash } from 'node:crypto';
import type { FileSeen } from '../../../config/in-force.ts';
import { parseConfig } from '../../../config/load.ts';
import { keptByText } from '../../../platform/cache.ts';
import { FurrowError } from '../../../platform/error.ts';
import { readIfThere } from '../../../platform/files.ts';
import { operationInProgress } from '../../../platform/git/repository.ts';
import { GitError, type Repo, tryGit } from '../../../platform/git/run.ts';

export const FILE = 'furrow.yaml';

/** furrow.yaml as it is committed on a branch. */
export interface Committed {
  readonly file: FileSeen;
  /** The branch exists. */
  readonly there: boolean;
  /** Where it was read. */
  readonly commit: string | null;
}

export async function readCommitted(repo: Repo, target: string): Promise<Committed> {
  const at = await tryGit(repo, ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${target}^{commit}`]);
  if (at.code !== 0) return { file: { kind: 'missing' }, there: false, commit: null };
  const commit = at.stdout.trim();
  const args = ['ls-tree', '-z', commit, '--', FILE];
  const found = await tryGit(repo, args);
  if (found.code !== 0) throw new GitError(args, found);
  const [, mode, oid] = /^(\d+) \w+ ([0-9a-f]+)\t/.exec(found.stdout) ?? [];
  if (!oid) return { file: { kind: 'missing' }, there: true, commit };
  if (!mode?.startsWith('100')) return { file: { kind: 'unreadable', why: 'it is no plain file' }, there: true, commit };
  const blob = await tryGit(repo, ['cat-file', 'blob', oid]);
  if (blob.code !== 0) throw new GitError(['cat-file', 'blob'], blob);
  return { file: fileOf(blob.stdout), there: true, commit };
}

/** furrow.yaml in the main worktree, and what is going on there. */
export interface CheckedOut {
  readonly file: FileSeen;
  readonly branch: string | null;
  readonly operation: string | undefined;
}

export async function readCheckout(repo: Repo): Promise<CheckedOut> {
  // Reads the file between two looks at git: one of them sees an operation that begins or ends meanwhile.
  const before = operationInProgress(repo.gitDir);
  const text = await readIfThere(`${repo.root}/${FILE}`).catch((error: Error) => error);
  const head = await tryGit(repo, ['symbolic-ref', '--quiet', 'HEAD']);
  const operation = before ?? operationInProgress(repo.gitDir);
  const branch = head.code === 0 ? head.stdout.trim().replace(/^refs\/heads\//, '') : null;
  if (text instanceof Error) return { file: { kind: 'unreadable', why: text.message }, branch, operation };
  return { file: text === undefined ? { kind: 'missing' } : fileOf(text), branch, operation };
}

/** Each landing has the file of the checkout and of the target read again, and hardly ever changes it. */
const MOST_TEXTS = 4;

const fileOf = keptByText(MOST_TEXTS, (text): FileSeen => {
  if (text.trim() === '') return { kind: 'empty' };
  try {
    parseConfig(text, FILE);
    return { kind: 'valid', text };
  } catch (error) {
    if (!(error instanceof FurrowError)) throw error;
    return { kind: 'invalid', text, why: error.message };
  }
});

/** A hash that tells one reading from another; null when there is no file. */
export function hashOf(file: FileSeen): string | null {
  if (file.kind === 'missing') return null;
  return file.kind === 'valid' || file.kind === 'invalid' ? textHash(file.text) : file.kind;
}

export const textHash = (text: string) => createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex').slice(0, 16);
