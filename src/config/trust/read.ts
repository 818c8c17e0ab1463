import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Repo, tryGit } from '../../platform/git/run.ts';
import { userConfig } from '../../platform/git/user.ts';
import { isBelow } from '../../platform/places.ts';
import type { HashedFile } from './line.ts';

/** Settings of agents that name hooks, tool servers or permissions, as far as agents read them in a worktree. */
const SETTINGS = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.mcp.json',
  '.codex',
  '.gemini/settings.json',
  'opencode.json',
  'opencode.jsonc',
  '.opencode',
];

/** Files of a commit at these paths or below them, by the ids of their content. */
async function committedFiles(repo: Repo, commit: string, paths: readonly string[]): Promise<HashedFile[]> {
  const done = await tryGit(repo, ['--literal-pathspecs', 'ls-tree', '-r', '-z', commit, '--', ...paths]);
  if (done.code !== 0) return [];
  return done.stdout.split('\0').flatMap((row) => {
    const [, hash, path] = /^\d+ \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(row) ?? [];
    return hash && path ? [{ path, hash: hash.slice(0, LENGTH) }] : [];
  });
}

export const agentSettingsAt = (repo: Repo, commit: string): Promise<HashedFile[]> => committedFiles(repo, commit, SETTINGS);

const LENGTH = 20;

export const contentHash = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex').slice(0, LENGTH);

/** The folder whose hooks an agent's commit runs. */
export async function hooksFolder(repo: Repo): Promise<string> {
  const { hooksPath } = await userConfig(repo);
  return hooksPath === undefined ? join(repo.gitDir, 'hooks') : resolve(repo.root, hooksPath.replace(/^~(?=\/)/, homedir()));
}

/** Hooks that run when an agent commits: what a tracked folder of hooks holds on the target, else those on disk. */
export async function hooksAt(repo: Repo, commit: string, folder: string, onDisk: readonly HashedFile[]): Promise<readonly HashedFile[]> {
  const inside = insideOf(repo, folder);
  if (inside === undefined) return onDisk;
  // The scripts that husky's own hooks run are beside them, in the folder above.
  const tracked = await committedFiles(repo, commit, [basename(inside) === '_' ? dirname(inside) : inside]);
  return basename(inside) === '_' ? [...onDisk, ...tracked] : tracked.length > 0 ? tracked : onDisk;
}

/** The path of a folder in the worktree; undefined for one elsewhere. */
export const insideOf = ({ root, gitDir }: Pick<Repo, 'root' | 'gitDir'>, folder: string): string | undefined =>
  folder !== root && isBelow(folder, root) && !isBelow(folder, gitDir) ? relative(root, folder) : undefined;

/** git-lfs writes these by itself, into the hooks of a repository in which it meets its first large file. */
const LARGE_FILES =
  /^#!\/bin\/sh\n(?:command -v git-lfs >\/dev\/null 2>&1 \|\| \{ (?:printf|echo) >&2(?: "(?:[^"`$\\]|\\n|\$\{0##\*\/\})*")+; exit \d+; \}\n)?git lfs (?:pre-push|post-checkout|post-commit|post-merge) "\$@"\n?$/;

export const isLargeFileHook = (text: string): boolean => LARGE_FILES.test(text);
