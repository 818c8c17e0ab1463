import { readlinkSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { couldNotLook } from '../../platform/error.ts';
import { parseConfig } from '../../platform/git/config-text.ts';
import { isBelow } from '../../platform/places.ts';
import { BoundedReader } from './bounded-reader.ts';
import { type Ground, mattersTo } from './git-keys.ts';
import type { GitFolder, GitSetting } from './git-lines.ts';
import type { HashedFile } from './line.ts';
import { contentHash, insideOf, isLargeFileHook } from './read.ts';

/** A git folder as it was found, and the way to tell whether it is still so. */
export interface GitLook {
  readonly folder: GitFolder;
  isCurrent(): boolean;
}

interface Where extends Ground {
  /** Folders of furrow's own: what agents set for their own worktrees there counts for them alone. */
  readonly own: readonly string[];
  /** The folder of hooks in force, whose hooks are told elsewhere. */
  readonly hooks: string;
}

/** Reads the git folder without a git, because git would run what it says. */
export function readGitFolder(where: Where): GitLook {
  const { root, gitDir } = where;
  const read = new BoundedReader((path) => shownPath(where, path));
  const settings = folderSettings(read, where, { dir: gitDir, of: '' });
  const modules = moduleFolders(read, join(gitDir, 'modules'));
  for (const dir of modules) settings.push(...folderSettings(read, where, { dir, of: relative(gitDir, dir) }));
  const folders = settings.flatMap(({ key, value, of }) =>
    key === 'core.hookspath' && value ? [hooksPath(of === '' ? root : join(gitDir, of), value)] : [],
  );
  const others = new Set([join(gitDir, 'hooks'), ...modules.map((dir) => join(dir, 'hooks')), ...folders]);
  others.delete(where.hooks);
  const named = (what: string) => (folder: string) =>
    filesIn(read, folder).map(({ path, hash }) => ({ path: shownPath(where, join(folder, path)), hash, what }));
  const files = [
    ...[...others].flatMap(named('git hook that is not in force in the main worktree')),
    ...['remotes', 'branches'].flatMap((name) => named('old way to name a remote')(join(gitDir, name))),
  ];
  const inside = insideOf(where, where.hooks) ?? '';
  const hooks = filesIn(read, where.hooks).map(({ path, hash }) => ({
    path: join('hooks', inside.replace(/^hooks(?=\/|$)/, ''), path),
    hash,
  }));
  const [links, steps] = [linksIn(read, where), stepsIn(read, gitDir)];
  const told = settings.filter(({ key, value }) => mattersTo(key, value, where));
  return { folder: { settings: told, hooks, files, links, steps, unread: read.unread }, isCurrent: () => read.isCurrent() };
}

function shownPath({ root, gitDir }: Ground, path: string): string {
  if (isBelow(path, gitDir)) return join('.git', relative(gitDir, path));
  return isBelow(path, root) ? relative(root, path) : path;
}

const hooksPath = (base: string, value: string) => resolve(base, value.replace(/^~(?=\/)/, homedir()));

/** The settings of one git folder: its configuration, that of the worktrees which are a person's, and all that these include. */
function folderSettings(read: BoundedReader, where: Where, { dir, of }: { dir: string; of: string }): GitSetting[] {
  const main = withIncludes(read, where, { path: join(dir, 'config'), of });
  const perWorktree = main.some(({ key, value }) => key === 'extensions.worktreeconfig' && !/^(?:false|no|off|0*)$/i.test(value ?? 'true'));
  if (!perWorktree) return main;
  const linked = read.folder(join(dir, 'worktrees')).flatMap(({ name }) => {
    const admin = join(dir, 'worktrees', name);
    const place = read.file(join(admin, 'gitdir'))?.toString().trim();
    if (place !== undefined && where.own.some((folder) => isBelow(resolve(admin, place), folder))) return [];
    return withIncludes(read, where, { path: join(admin, 'config.worktree'), of: join(of, 'worktrees', name) });
  });
  return [...main, ...withIncludes(read, where, { path: join(dir, 'config.worktree'), of }), ...linked];
}

interface Included {
  readonly path: string;
  readonly of: string;
  readonly when?: string | undefined;
}

/** Every file once, however often it is included, and whether its condition holds now or not. */
function withIncludes(read: BoundedReader, where: Ground, first: Included): GitSetting[] {
  const found: GitSetting[] = [];
  const files = [first];
  const seen = new Set<string>();
  // The list grows while it is walked; the reader bounds it.
  for (const { path, of, when } of files) {
    if (seen.has(path)) continue;
    seen.add(path);
    const bytes = read.file(path);
    if (bytes === undefined) continue;
    const settings = parseConfig(bytes.toString('latin1'));
    if (!settings) read.refuse(path, 'git would not understand it');
    for (const { key, value } of settings ?? []) {
      found.push({ key, value, file: shownPath(where, path), of, when });
      const include = /^include(?:if\.(.*))?\.path$/s.exec(key);
      if (!include || !value) continue;
      const next = includedPath(path, value);
      if (next === undefined) read.refuse(path, `it includes ${value}, which only git finds`);
      else files.push({ path: next, of, when: include[1] ?? when });
    }
  }
  return found;
}

/** Undefined for the home of somebody else, and for the folder that git was installed in. */
function includedPath(from: string, value: string): string | undefined {
  if (value.startsWith('~/')) return join(homedir(), value.slice(2));
  return value.startsWith('~') || value.startsWith('%(prefix)') ? undefined : resolve(dirname(from), value);
}

/** The git folders of submodules, which may lie in each other. */
function moduleFolders(read: BoundedReader, top: string): string[] {
  const found: string[] = [];
  const folders = [top];
  for (const folder of folders) {
    if (folders.length > MODULES) {
      read.refuse(top, `it holds more than ${MODULES} folders`);
      break;
    }
    const entries = read.folder(folder);
    const isGit = entries.some(({ name }) => name === 'HEAD') && entries.some(({ name }) => name === 'config');
    if (isGit) found.push(folder);
    const inner = isGit ? entries.filter(({ name }) => name === 'modules') : entries;
    folders.push(...inner.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name)));
  }
  return found;
}

const MODULES = 1000;

/** The files of a folder that could be run, by name, without those that git-lfs or git itself put there. */
function filesIn(read: BoundedReader, folder: string): HashedFile[] {
  return read.folder(folder).flatMap(({ name }) => {
    if (name.endsWith('.sample') || !isPlain(join(folder, name))) return [];
    const bytes = read.file(join(folder, name));
    return bytes === undefined || isLargeFileHook(bytes.toString()) ? [] : [{ path: name, hash: contentHash(bytes) }];
  });
}

/** True for a file, and for a link that leads to one: nothing else is run. */
function isPlain(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    if (couldNotLook(error)) throw error;
    return false;
  }
}

/** Parts of the git folder that are really elsewhere. */
function linksIn(read: BoundedReader, { gitDir }: Ground): GitFolder['links'] {
  return read.folder(gitDir).flatMap((entry) => {
    if (!entry.isSymbolicLink()) return [];
    const to = readlinkSync(join(gitDir, entry.name));
    return isBelow(resolve(gitDir, to), gitDir) ? [] : [{ path: `.git/${entry.name}`, to }];
  });
}

/** The commands in the list of steps of a rebase that stopped half-way. */
function stepsIn(read: BoundedReader, gitDir: string): string[] {
  const list = read.file(join(gitDir, 'rebase-merge/git-rebase-todo'))?.toString() ?? '';
  return list.split('\n').flatMap((row) => /^\s*(?:x|exec)\s+(.*\S)/.exec(row)?.[1] ?? []);
}
