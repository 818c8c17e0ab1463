import { basename } from 'node:path';
import { git, type Repo } from '../../platform/git/run.ts';
import type { Inside } from '../merge/slot-index.ts';
import { outermost } from './manifest.ts';

/** Files that any run of a program leaves; set-up does not count them. */
const LITTER = /(^|\/)(__pycache__|\.pytest_cache|\.DS_Store|[^/]+\.pyc)$/;

/** Folders that package managers make: they depend on lockfiles, not on the project's own sources. */
const DEPENDENCIES =
  /^(node_modules|bower_components|\.pnpm-store|\.pnp\..*|\.yarn|\.venv|venv|__pypackages__|.*\.egg-info|\.eggs|\.bundle|vendor|Pods|deps|\.m2|\.husky|_)$/;

/** Paths in a slot that git does not track, folders collapsed. */
export async function madePaths(repo: Repo, inside: Inside): Promise<string[]> {
  const look = [
    'status',
    '--porcelain',
    '-z',
    '--untracked-files=normal',
    '--ignored=traditional',
    '--no-renames',
    '--ignore-submodules=all',
  ];
  const lines = (await git(repo, look, inside)).split('\0').filter((line) => line.startsWith('?? ') || line.startsWith('!! '));
  return outermost(lines.map((line) => line.slice(3).replace(/\/$/, '')).filter((path) => !LITTER.test(path)));
}

/** Of the paths that set-up made, those that may come from the project's own sources: they are right for one tree only. */
export const fromSources = (paths: readonly string[]): string[] => paths.filter((path) => !DEPENDENCIES.test(basename(path)));

/** Of the paths that set-up made, those that git does not ignore: an agent may commit them by mistake. */
export async function notIgnored(repo: Repo, inside: Inside, paths: readonly string[]): Promise<string[]> {
  const look = ['status', '--porcelain', '-z', '--untracked-files=normal', '--no-renames', '--ignore-submodules=all'];
  const untracked = new Set((await git(repo, look, inside)).split('\0').map((line) => line.slice(3).replace(/\/$/, '')));
  return paths.filter((path) => untracked.has(path));
}
