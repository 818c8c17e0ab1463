import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { askLeader } from '../hosts/link/dial.ts';
import { FurrowError } from '../platform/error.ts';
import { listRefs, setRef } from '../platform/git/refs.ts';
import { git, type Repo, tryGit } from '../platform/git/run.ts';
import { placesOf } from '../platform/places.ts';
import { headRef } from '../repo/merge/target-refs.ts';
import type { Membership } from './membership.ts';

/** Of the refs here, so many are named to the leader: the newest landings and checks are among them. */
const MOST = 64;
const UNBUNDLE_MS = 30 * 60_000;

/** The commits that an order is about. */
interface Wanted {
  readonly id: string;
  readonly commits: readonly string[];
  readonly head: string;
  readonly target: string;
  /** Names the refs that keep them here. */
  readonly keep: string;
}

/** Fetches what is missing here of some commits, over the connection to the leader, and points the head to where the leader has it. */
export async function fetchCommits(repo: Repo, member: Membership, wanted: Wanted, signal: AbortSignal): Promise<void> {
  const { id, commits, head, target, keep } = wanted;
  if (!(await isWhole(repo, [...commits, head]))) {
    const refs = await listRefs(repo, 'refs/furrow/');
    const have = [...new Set(refs.map(({ oid }) => oid))].slice(-MOST);
    const file = join(placesOf(repo.root).run, `objects-${id}`);
    try {
      const answer = await askLeader(member, '/objects', member.key, JSON.stringify({ id, have }), signal);
      await pipeline(answer, createWriteStream(file, { mode: 0o600 }), { signal });
      await git(repo, ['bundle', 'unbundle', file], { signal, timeoutMs: UNBUNDLE_MS });
    } finally {
      await rm(file, { force: true });
    }
  }
  for (const [n, commit] of commits.entries()) await setRef(repo, `refs/furrow/fetched/${n === 0 ? keep : `${keep}-${n}`}`, commit);
  await setRef(repo, headRef(target), head);
  for (const commit of commits) await assertNothingElsewhere(repo, commit);
}

/** True when all of these commits were fetched before, with all that belongs to them. */
async function isWhole(repo: Repo, commits: readonly string[]): Promise<boolean> {
  const done = await tryGit(repo, ['rev-list', '--quiet', '--objects', ...commits, '--not', '--glob=refs/furrow/*']);
  return done.code === 0;
}

/** Content of large files and submodules stays on the machine of the farm: a check here would judge other files. */
async function assertNothingElsewhere(repo: Repo, commit: string): Promise<void> {
  const modules = await git(repo, ['ls-tree', '--name-only', commit, '--', '.gitmodules']);
  const lfs = await tryGit(repo, ['grep', '-l', '-e', 'filter=lfs', commit, '--', '.gitattributes', '**/.gitattributes']);
  if (modules === '' && lfs.code === 1) return;
  throw new FurrowError('NOT_WHOLE', `${modules === '' ? 'large files (git-lfs)' : 'submodules'} are only on the machine of the farm`);
}
