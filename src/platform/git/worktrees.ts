import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readSmall } from '../files.ts';
import { linkedWorktrees } from './admin.ts';
import { symbolicAt } from './own-ref.ts';
import { type Repo, tryGit } from './run.ts';

interface WorktreeInfo {
  readonly path: string;
  /** The full ref, with a symbolic ref resolved; `null` when detached. */
  readonly branch: string | null;
  /** The reason, perhaps empty; `null` when not locked. */
  readonly locked: string | null;
  readonly prunable: boolean;
}

/**
 * Every worktree, the main one first, read from git's own files. `git worktree list` fails while any registration is half-made, and finds
 * the main worktree only by the name of the git folder.
 */
export async function worktrees(repo: Repo): Promise<WorktreeInfo[]> {
  const main = { path: repo.root, branch: await branchOf(repo, repo.root, repo.gitDir), locked: null, prunable: false };
  const found: WorktreeInfo[] = [];
  for (const { path, admin, locked = null } of await linkedWorktrees(repo)) {
    if (path === undefined) continue;
    const prunable = locked === null && !(await lstat(join(path, '.git')).catch(() => undefined));
    found.push({ path, branch: prunable ? behind(repo, headIn(admin)) : await branchOf(repo, path, admin), locked, prunable });
  }
  return [main, ...found.sort((a, b) => (a.path < b.path ? -1 : 1))];
}

/** The content of HEAD where refs are in a reftable: only git can tell the branch. */
const ELSEWHERE = 'refs/heads/.invalid';

async function branchOf(repo: Repo, path: string, gitDir: string): Promise<string | null> {
  const branch = behind(repo, (await linkedHead(gitDir)) ?? headIn(gitDir));
  if (branch !== ELSEWHERE) return branch;
  const done = await tryGit(repo, ['symbolic-ref', '--quiet', 'HEAD'], { cwd: path, env: { GIT_DIR: gitDir } });
  return done.code === 0 ? done.stdout.trim() : null;
}

/** Git follows as many symbolic refs. */
const DEPTH = 5;

/** The branch that HEAD is on when HEAD names a symbolic ref: a commit there moves this branch, and its files are checked out. */
function behind({ gitDir }: Repo, head: string | null): string | null {
  let branch = head;
  for (let n = 0; n < DEPTH && branch !== null; n++) {
    const to = symbolicAt(gitDir, branch);
    if (to === undefined) break;
    branch = to;
  }
  return branch;
}

const headIn = (gitDir: string) => /^ref: (refs\/.+)$/m.exec(readSmall(join(gitDir, 'HEAD')) ?? '')?.[1]?.trim() ?? null;

/** HEAD may be a link to the branch's file, as git made it long ago. */
async function linkedHead(gitDir: string): Promise<string | undefined> {
  const to = await readlink(join(gitDir, 'HEAD')).catch(() => undefined);
  return to?.startsWith('refs/') ? to : undefined;
}
