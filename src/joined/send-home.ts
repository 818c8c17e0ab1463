import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ended } from '../daemon/acts/attempt-end/arguments.ts';
import { pinOf } from '../daemon/farm/pins.ts';
import { askLeader } from '../hosts/link/dial.ts';
import { HOME_REFS, type HomeRef, homeRefs } from '../hosts/link/work.ts';
import { deleteRefs, listRefs, resolve, setRef } from '../platform/git/refs.ts';
import { git, type Repo, tryGit } from '../platform/git/run.ts';
import { placesOf } from '../platform/places.ts';
import type { Kept } from './kept-attempts.ts';
import type { Membership } from './membership.ts';

const BUNDLE_MS = 30 * 60_000;

/** Sends the commits of an ended attempt to the leader, which keeps them before it stores the end. */
export async function sendHome(
  repo: Repo,
  member: Membership,
  id: string,
  { row }: Kept,
  ended: Ended,
  signal: AbortSignal,
): Promise<void> {
  const tips: Readonly<Record<HomeRef, string | undefined>> = {
    tip: ended.sha ?? undefined,
    head: await resolve(repo, `${pinOf(row.task, row.n)}-head`),
    uncommitted: ended.kept === null ? undefined : await resolve(repo, ended.kept),
  };
  const folder = homeRefs(row.id);
  const wanted = HOME_REFS.flatMap((name) => (tips[name] === undefined ? [] : [{ ref: `${folder}${name}`, oid: tips[name] }]));
  // The leader has the commit that the attempt began from, so a branch without commits of its own needs no bundle.
  const known = [row.base, ...(await fetched(repo))];
  const fresh = [];
  for (const one of wanted) if (await lacks(repo, one.oid, known)) fresh.push(one);
  if (fresh.length === 0) return;
  const file = join(placesOf(repo.root).run, `home-${randomBytes(8).toString('hex')}`);
  try {
    for (const { ref, oid } of fresh) await setRef(repo, ref, oid);
    await git(repo, ['bundle', 'create', '--quiet', file, ...fresh.map(({ ref }) => ref), ...known.map((one) => `^${one}`)], {
      timeoutMs: BUNDLE_MS,
      signal,
    });
    (await askLeader(member, `/work/${id}`, member.key, createReadStream(file), signal)).resume();
  } finally {
    await rm(file, { force: true });
    await deleteRefs(repo, await listRefs(repo, folder));
  }
}

/** Commits that came from the leader. */
const fetched = async (repo: Repo): Promise<string[]> => [...new Set((await listRefs(repo, 'refs/furrow/head/')).map(({ oid }) => oid))];

async function lacks(repo: Repo, oid: string, known: readonly string[]): Promise<boolean> {
  const done = await tryGit(repo, ['rev-list', '-n', '1', oid, ...known.map((one) => `^${one}`)]);
  return done.code !== 0 || done.stdout.trim() !== '';
}
