import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readSmall } from '../files.ts';
import { linkedWorktrees } from './admin.ts';
import { type Repo, tryGit } from './run.ts';

export interface WorktreeInfo {
  readonly path: string;
  /** The full ref, `null` when detached. */
  readonly branch: string | null;
  /** The reason, perhaps empty; `null` when not locked. */
  readonly locked: string | null;
  readonly prunable: boolean;
}

/**
 * Every worktree, the main one first, from the files that git itself goes by. `git worktree list` fails while any registration is half-made,
 * and knows the main worktree only by the name of the git folder.
 */
export async function worktrees(repo: Repo): Promise<WorktreeInfo[]> {
  const main = { path: repo.root, branch: await branchOf(repo, repo.root, repo.gitDir), locked: null, prunable: false };
  const found: WorktreeInfo[] = [];
  for (const { path, admin, locked = null } of await linkedWorktrees(repo)) {
    if (path === undefined) continue;
    const prunable = locked === null && !(await lstat(join(path, '.git')).catch(() => undefined));
    found.push({ path, branch: prunable ? headIn(admin) : await branchOf(repo, path, admin), locked, prunable });
  }
  return [main, ...found.sort((a, b) => (a.path < b.path ? -1 : 1))];
}

/** HEAD says this where refs are in a reftable: only git can tell the branch. */
const ELSEWHERE = 'refs/heads/.invalid';

async function branchOf(repo: Repo, path: string, gitDir: string): Promise<string | null> {
  const branch = (await linkedHead(gitDir)) ?? headIn(gitDir);
  if (branch !== ELSEWHERE) return branch;
  const done = await tryGit(repo, ['symbolic-ref', '--quiet', 'HEAD'], { cwd: path, env: { GIT_DIR: gitDir } });
  return done.code === 0 ? done.stdout.trim() : null;
}

const headIn = (gitDir: string) => /^ref: (refs\/.+)$/m.exec(readSmall(join(gitDir, 'HEAD')) ?? '')?.[1]?.trim() ?? null;

/** HEAD may be a link to the branch's file, as git made it long ago. */
async function linkedHead(gitDir: string): Promise<string | undefined> {
  const to = await readlink(join(gitDir, 'HEAD')).catch(() => undefined);
  return to?.startsWith('refs/') ? to : undefined;
}
