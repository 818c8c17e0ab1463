import { randomBytes } from 'node:crypto';
import { FurrowError } from '../../platform/error.ts';
import { writeBlob } from '../../platform/git/objects.ts';
import { plantedAt, putPlantedAway } from '../../platform/git/own-ref.ts';
import { createRef, deleteRefs, listRefs, moveRef, type RefValue, resolve } from '../../platform/git/refs.ts';
import { type Repo, tryGit } from '../../platform/git/run.ts';

/** The fence between daemons: a daemon that was replaced has an old epoch, and git itself refuses its moves. */
export interface Epoch extends RefValue {
  readonly n: number;
  /** The content of the ref's blob. */
  readonly text: string;
}

export const EPOCH = 'refs/furrow/epoch';

/**
 * Takes the next epoch, higher than the ref's and than `known`, the last one in the store. Every move of a ref verifies it in the same
 * transaction, so from now on a daemon with an earlier epoch can move nothing, even if it was only asleep. The random part keeps two epochs
 * apart even when the number was lost with the ref and the store. Anything else at the ref is replaced and reported to `foreign`; the fence
 * is then as good as before.
 */
export async function nextEpoch(repo: Repo, known = 0, foreign: Foreign = async () => {}): Promise<Epoch> {
  for (let tries = 0; tries < 10; tries++) {
    const found = await look(repo);
    const n = Math.max(known, found.n ?? 0) + 1;
    const text = `furrow epoch ${n} ${randomBytes(6).toString('hex')}\n`;
    const oid = await writeBlob(repo, text);
    if (found.what) await putAway(repo, found);
    const moved = await moveRef(repo, { ref: EPOCH, to: oid, from: found.oid ?? null });
    if (moved.moved && found.what) await foreign(found.what);
    if (moved.moved) return { ref: EPOCH, oid, n, text };
  }
  throw new FurrowError('TRY_AGAIN', 'another furrow is starting in this repository', { hint: 'furrow status' });
}

/** The number of the last start, as git has it; 0: it has none. */
export const epochAt = async (repo: Repo): Promise<number> => (await look(repo)).n ?? 0;

/** Called with a description of what the ref held instead of an epoch, as the end of a sentence. */
type Foreign = (what: string) => Promise<void>;

/**
 * Restores an epoch ref that was deleted, or overwritten by something else; only for the daemon that holds the farm's lock. `replaced`: the
 * ref belongs to another daemon, and this one must stop.
 */
export async function restoreEpoch(repo: Repo, epoch: Epoch): Promise<'there' | 'restored' | 'replaced'> {
  const found = await look(repo);
  if (found.oid === epoch.oid) return 'there';
  if (found.n !== undefined) return 'replaced';
  if (found.what) await putAway(repo, found);
  // The blob is written again: without the ref, a gc may have taken it.
  await writeBlob(repo, epoch.text);
  const made = await moveRef(repo, { ref: EPOCH, to: epoch.oid, from: found.oid ?? null });
  return made.moved ? 'restored' : made.at === epoch.oid ? 'there' : 'replaced';
}

interface Found {
  readonly oid?: string | undefined;
  /** The number, if it holds an epoch. */
  readonly n?: number;
  /** A description of anything else that it holds. */
  readonly what?: string;
}

async function look(repo: Repo): Promise<Found> {
  const planted = plantedAt(repo.gitDir, EPOCH);
  if (planted) return { what: planted.what };
  const refs = await listRefs(repo, EPOCH);
  const oid = refs.find(({ ref }) => ref === EPOCH)?.oid;
  if (oid === undefined) return refs.length > 0 ? { what: 'a folder of refs' } : {};
  const blob = await tryGit(repo, ['cat-file', 'blob', oid]);
  // Nobody starts a daemon a billion times: a longer number would leave no room for the next.
  const n = blob.code === 0 ? /^furrow epoch (\d{1,9})(?: [0-9a-f]+)?$/.exec(blob.stdout.trimEnd())?.[1] : undefined;
  return n === undefined ? { oid, what: `${oid.slice(0, 12)}, which is no epoch` } : { oid, n: Number(n) };
}

/** Frees the ref's place. A pin keeps a commit that was put there; anything that is no ref goes to the trash. */
async function putAway(repo: Repo, { oid }: Found): Promise<void> {
  await putPlantedAway(repo, EPOCH);
  const below = oid === undefined ? await listRefs(repo, `${EPOCH}/`) : [];
  for (const one of [...below.map((ref) => ref.oid), ...(oid ? [oid] : [])]) {
    const commit = await resolve(repo, one);
    if (commit) await createRef(repo, `refs/furrow/pin/foreign/${commit}`, commit);
  }
  await deleteRefs(repo, below);
}
