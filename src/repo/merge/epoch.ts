import { randomBytes } from 'node:crypto';
import { FurrowError } from '../../platform/error.ts';
import { writeBlob } from '../../platform/git/objects.ts';
import { plantedAt, putPlantedAway } from '../../platform/git/own-ref.ts';
import { createRef, deleteRefs, listRefs, moveRef, type RefValue, resolve } from '../../platform/git/refs.ts';
import { type Repo, tryGit } from '../../platform/git/run.ts';

/** The fence: a daemon that was replaced holds an old one, and git itself refuses its moves. */
export interface Epoch extends RefValue {
  readonly n: number;
  /** The content of the ref's blob. */
  readonly text: string;
}

export const EPOCH = 'refs/furrow/epoch';

/**
 * Takes the next epoch, higher than the ref's and than `known`, the last one that the store knows of. Every move of a ref
 * verifies it in the same transaction, so from here on whoever held an earlier one can move nothing, even if it was only
 * asleep. The random part keeps two epochs apart also where the number was forgotten with the ref and the store. Whatever else was put in its
 * place is replaced, and told to `foreign`: the new epoch is no one's but ours, so the fence is as whole as before.
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

/** Is told what the ref held when that was no epoch, as the end of a sentence. */
export type Foreign = (what: string) => Promise<void>;

/**
 * Makes an epoch ref again that was deleted or overwritten by something that is no epoch; only for the daemon that holds the farm's lock.
 * `replaced`: the ref is another daemon's, and this one has nothing to say any more.
 */
export async function restoreEpoch(repo: Repo, epoch: Epoch): Promise<'there' | 'restored' | 'replaced'> {
  const found = await look(repo);
  if (found.oid === epoch.oid) return 'there';
  if (found.n !== undefined) return 'replaced';
  if (found.what) await putAway(repo, found);
  // Written again: with the ref gone, a gc may have taken the blob.
  await writeBlob(repo, epoch.text);
  const made = await moveRef(repo, { ref: EPOCH, to: epoch.oid, from: found.oid ?? null });
  return made.moved ? 'restored' : made.at === epoch.oid ? 'there' : 'replaced';
}

interface Found {
  readonly oid?: string | undefined;
  /** The number, if it holds an epoch. */
  readonly n?: number;
  /** In words, anything else that it holds. */
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

/** Makes room for the ref. A commit that was put there is kept by a pin; what is no ref goes to the trash. */
async function putAway(repo: Repo, { oid }: Found): Promise<void> {
  await putPlantedAway(repo, EPOCH);
  const below = oid === undefined ? await listRefs(repo, `${EPOCH}/`) : [];
  for (const one of [...below.map((ref) => ref.oid), ...(oid ? [oid] : [])]) {
    const commit = await resolve(repo, one);
    if (commit) await createRef(repo, `refs/furrow/pin/foreign/${commit}`, commit);
  }
  await deleteRefs(repo, below);
}
