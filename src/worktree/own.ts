import { lstat } from 'node:fs/promises';
import { FurrowError } from '../platform/error.ts';
import { canonical, type Linked, linkedAt, plantedIn } from '../platform/git/admin.ts';
import { isBelow } from '../platform/git/holders.ts';
import type { Repo } from '../platform/git/run.ts';
import { placesOf } from '../platform/places.ts';

/**
 * The registration of a worktree that is proven ours: a real folder below `.furrow`, registered, and without planted
 * links in the registration. Everything that writes goes through here.
 */
export async function ownWorktree(repo: Repo, path: string): Promise<Linked> {
  const hint = 'furrow doctor';
  const folder = await lstat(path).catch(() => undefined);
  if (!folder?.isDirectory()) throw new FurrowError('NO_WORKTREE', `${path} is not a folder`, { hint });
  if (!(await isOurs(repo, path))) throw new FurrowError('NOT_OURS', `${path} is not below ${placesOf(repo.root).dir}`);
  const linked = await linkedAt(repo, path);
  if (!linked?.whole) throw new FurrowError('NOT_REGISTERED', `${path} is not a registered worktree`, { hint });
  const planted = await plantedIn(linked.admin);
  if (planted) throw new FurrowError('PLANTED_LINK', `${planted} is a link that git did not make`, { hint: `ls -l ${planted}` });
  return linked;
}

/** Whether a path, links resolved, lies below this repository's `.furrow` (and is not that folder itself). */
export async function isOurs(repo: Repo, path: string): Promise<boolean> {
  const home = await canonical(placesOf(repo.root).dir);
  const real = await canonical(path);
  return real !== home && isBelow(real, home);
}
