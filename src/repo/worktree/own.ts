import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import { canonical, inWorktree, type Linked, linkedAt, plantedIn } from '../../platform/git/admin.ts';
import { foldersOf, readIndex } from '../../platform/git/index-file.ts';
import { brokenRegistration } from '../../platform/git/registrations.ts';
import { ownRoots } from '../../platform/git/repair.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { blockingPipes } from '../../platform/git/status.ts';
import { isBelow } from '../../platform/places.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';

/**
 * The registration of a worktree that is proven ours: a real folder below one of our roots, registered, and without planted links in the
 * registration. All code that writes to a worktree calls this.
 */
export async function ownWorktree(repo: Repo, path: string): Promise<Linked> {
  const hint = 'furrow doctor';
  const folder = await lstat(path).catch(() => undefined);
  if (!folder?.isDirectory()) throw new FurrowError('NO_WORKTREE', `${path} is not a folder`, { hint });
  await assertOurs(repo, path);
  const linked = await linkedAt(repo, path);
  if (!linked?.whole) throw notRegistered(repo, path);
  const planted = plantedIn(linked.admin);
  if (planted)
    throw new FurrowError('PLANTED_LINK', `${planted} is a link that git did not make`, { hint: `ls -l ${quotedIfNeeded(planted)}` });
  await assertNoPipe(repo, linked);
  return linked;
}

function notRegistered({ gitDir }: Repo, path: string): FurrowError {
  const file = brokenRegistration(gitDir, path);
  const why = file === undefined ? '' : `: ${file} is missing, or not as git writes it`;
  return new FurrowError('NOT_REGISTERED', `${path} is not a registered worktree${why}`, {
    hint: file ? `ls -l ${quotedIfNeeded(file)}` : 'furrow doctor',
  });
}

/** Refuses a worktree with a named pipe: each git of ours would wait two minutes there, as long as the worktree is kept. */
async function assertNoPipe(repo: Repo, linked: Linked): Promise<void> {
  const place = inWorktree(repo, linked);
  const entries = await readIndex(join(linked.admin, 'index'));
  // `ls-files` reads the index and nothing else.
  const paths = entries ?? (await git(repo, ['ls-files', '-z'], { ...place, encoding: 'latin1' })).split('\0').map((path) => ({ path }));
  const [pipe] = blockingPipes(place.cwd, foldersOf(paths));
  if (pipe === undefined) return;
  const file = join(place.cwd, Buffer.from(pipe, 'latin1').toString('utf8'));
  throw new FurrowError('PIPE_IN_WORK', `${file} is a named pipe, at which git waits for ever`, { hint: `rm ${quotedIfNeeded(file)}` });
}

/** True when a path, links resolved, is inside a folder for our worktrees or slots (and is not that folder itself). */
export async function isOurs(repo: Repo, path: string): Promise<boolean> {
  const real = await canonical(path);
  const roots = await Promise.all(ownRoots(repo).map(canonical));
  return roots.some((root) => real !== root && isBelow(real, root));
}

export async function assertOurs(repo: Repo, path: string): Promise<void> {
  if (!(await isOurs(repo, path))) throw new FurrowError('NOT_OURS', notOurs(repo, path), { hint: 'furrow doctor' });
}

export const notOurs = (repo: Repo, path: string) => `${path} is not in ${ownRoots(repo)[0]}, the folder for furrow's worktrees`;
