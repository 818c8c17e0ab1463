import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readSmall } from '../../platform/files.ts';
import { attributeFiles } from '../../platform/git/attributes.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { withScratch } from '../../platform/git/scratch.ts';
import { userConfig } from '../../platform/git/user.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';
import { listed, type Refusal, refusal } from './checkout-refusal.ts';
import type { Move } from './move.ts';

/**
 * Refuses a move that writes a path which only the user's own git can write. A filter is a command, and the repository's configuration may
 * be an agent's work, so our git runs none. For large files we have our own.
 */
export async function refuseFiltered(repo: Repo, move: Move): Promise<Refusal | undefined> {
  const { filters } = await userConfig(repo, move.gitDir);
  const theirs = [...filters.values()].filter((one) => one.rewrites && !one.lfs).map((one) => one.name);
  if (theirs.length === 0) return undefined;
  const found = [...(await filterOf(repo, move))].filter(([, filter]) => theirs.includes(filter));
  if (found.length === 0) return undefined;
  const [paths, names] = [found.map(([path]) => path), [...new Set(found.map(([, filter]) => filter))]];
  const command = `git -C ${quotedIfNeeded(move.path)} merge --ff-only ${move.to.slice(0, 12)}`;
  return refusal(`your filter ${names.join(', ')} must write ${listed(paths)}, and furrow does not run it: ${command}`, paths);
}

/** The attribute `filter` of each path that the move writes, from the new commit's attributes: those count on checkout. */
export async function filterOf(repo: Repo, move: Move): Promise<Map<string, string>> {
  const written = move.changes.filter((one) => one.status !== 'D').map((one) => one.path);
  if (!(await mayFilter(repo, move.to, written))) return new Map();
  return withScratch(repo, async (folder) => {
    const on = { cwd: move.path, env: { GIT_INDEX_FILE: join(folder, 'index') }, encoding: 'latin1' as const };
    await git(repo, ['read-tree', move.to], on);
    const input = Buffer.from(written.map((path) => `${path}\0`).join(''), 'latin1');
    const fields = (await git(repo, ['check-attr', '--cached', '-z', '--stdin', 'filter'], { ...on, input })).split('\0');
    const found = new Map<string, string>();
    for (let at = 0; at + 2 < fields.length; at += 3) found.set(fields[at]!, fields[at + 2]!);
    return found;
  });
}

/** More attribute files than this are left to git. */
const MOST_FILES = 100;

/** False when no attribute file for these paths mentions a filter, as in most repositories; then git need not be asked. */
async function mayFilter(repo: Repo, commit: string, paths: readonly string[]): Promise<boolean> {
  const here = join(repo.gitDir, 'info', 'attributes');
  if (lstatSync(here, { throwIfNoEntry: false }) && speaks(readSmall(here))) return true;
  const names = [...new Set(paths.flatMap(attributeFiles))];
  if (names.length > MOST_FILES || names.some((name) => !/^[\x21-\x7e]+$/.test(name))) return true;
  if (names.length === 0) return false;
  const rows = (await git(repo, ['ls-tree', '-z', '--full-tree', commit, '--', ...names])).split('\0').filter(Boolean);
  const files = rows.map((row) => row.split(/[ \t]/));
  if (files.some(([mode]) => !mode?.startsWith('100'))) return true;
  const texts = await Promise.all(files.map(([, , oid = '']) => git(repo, ['cat-file', 'blob', oid], { encoding: 'latin1' })));
  return texts.some(speaks);
}

/** A file that cannot be read may say anything. */
const speaks = (text: string | undefined) => text === undefined || text.includes('filter');
