import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setRef } from '../../platform/git/refs.ts';
import { git, tryGit } from '../../platform/git/run.ts';
import type { Farm } from '../farm/farm.ts';

type Place = Pick<Farm, 'repo' | 'places'>;

/** The ref that keeps the commit of a host's check, and by which git names it in a bundle. */
const checkRef = (slot: string): string => `refs/furrow/check/host-${slot.replaceAll('/', '-')}`;

export const pinForHost = ({ repo }: Place, slot: string, commit: string): Promise<void> => setRef(repo, checkRef(slot), commit);

/** Writes what a host lacks of these commits into a file, as a bundle. `slot`: names the refs that keep them meanwhile. */
export async function bundleFor({ repo, places }: Place, slot: string, commits: readonly string[], have: readonly string[]) {
  const known =
    have.length === 0 ? '' : await git(repo, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input: `${have.join('\n')}\n` });
  const without = known.split('\n').flatMap((line) => (line.endsWith(' commit') ? [`^${line.split(' ')[0]}`] : []));
  const refs = commits.map((_, n) => checkRef(n === 0 ? slot : `${slot}-${n}`));
  for (const [n, ref] of refs.entries()) await setRef(repo, ref, commits[n]!);
  const path = join(places.run, `objects-${randomBytes(8).toString('hex')}`);
  const remove = () => rm(path, { force: true });
  const done = await tryGit(repo, ['bundle', 'create', '--quiet', path, ...refs, ...without], { timeoutMs: BUNDLE_MS });
  if (done.code === 0) return { path, remove };
  await remove();
  throw new Error(`git bundle: ${done.stderr.trim()}`);
}

/** The first bundle of a large repository takes minutes. */
const BUNDLE_MS = 30 * 60_000;
