import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { isBelow } from '../platform/git/holders.ts';
import { type Repo, tryGit } from '../platform/git/run.ts';
import { userConfig } from '../platform/git/user.ts';
import type { HashedFile } from './lines.ts';

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
export async function committedFiles(repo: Repo, commit: string, paths: readonly string[]): Promise<HashedFile[]> {
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

/** Hooks that run when an agent commits: those on disk, and what a tracked folder of hooks holds on the target. */
export async function hooksAt(repo: Repo, commit: string): Promise<HashedFile[]> {
  const folder = await hooksFolder(repo);
  const inside = isBelow(folder, repo.root) && !isBelow(folder, repo.gitDir) ? relative(repo.root, folder) : undefined;
  const tracked = inside ? await committedFiles(repo, commit, [inside]) : [];
  return tracked.length > 0 ? tracked : filesIn(folder).flatMap((name) => hookFile(join(folder, name), inside ? join(inside, name) : name));
}

/** Changes with every hook that is added, removed or written. Asked at every look, so without a process. */
export function hooksPrint(folder: string): string {
  return filesIn(folder)
    .map((name) => {
      const stat = statSync(join(folder, name), { throwIfNoEntry: false });
      return stat ? `${name} ${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}` : name;
    })
    .join('\n');
}

function filesIn(folder: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => (entry.isDirectory() || entry.name.endsWith('.sample') ? [] : [entry.name])).sort();
}

function hookFile(path: string, shown: string): HashedFile[] {
  try {
    if (!statSync(path).isFile()) return [];
    const content = readFileSync(path);
    return isLargeFileHook(content.toString())
      ? []
      : [{ path: `hooks/${shown}`.replace(/^hooks\/hooks\//, 'hooks/'), hash: contentHash(content) }];
  } catch {
    return [];
  }
}

/** git-lfs writes these by itself, into the hooks of a repository in which it meets its first large file. */
const LARGE_FILES =
  /^#!\/bin\/sh\n(?:command -v git-lfs >\/dev\/null 2>&1 \|\| \{ (?:printf|echo) >&2(?: "(?:[^"`$\\]|\\n|\$\{0##\*\/\})*")+; exit \d+; \}\n)?git lfs (?:pre-push|post-checkout|post-commit|post-merge) "\$@"\n?$/;

export const isLargeFileHook = (text: string): boolean => LARGE_FILES.test(text);
