import { randomBytes } from 'node:crypto';
import { FurrowError } from '../platform/error.ts';
import { writeBlob } from '../platform/git/objects.ts';
import { listRefs, moveRef, type RefValue } from '../platform/git/refs.ts';
import { git, type Repo } from '../platform/git/run.ts';

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
 * asleep. The random part keeps two epochs apart also where the number was forgotten with the ref and the store.
 */
export async function nextEpoch(repo: Repo, known = 0): Promise<Epoch> {
  for (let tries = 0; tries < 10; tries++) {
    const last = (await listRefs(repo, EPOCH))[0]?.oid;
    const n = Math.max(known, last === undefined ? 0 : numberOf(await git(repo, ['cat-file', 'blob', last]))) + 1;
    const text = `furrow epoch ${n} ${randomBytes(6).toString('hex')}\n`;
    const oid = await writeBlob(repo, text);
    if ((await moveRef(repo, { ref: EPOCH, to: oid, from: last ?? null })).moved) return { ref: EPOCH, oid, n, text };
  }
  throw new FurrowError('TRY_AGAIN', 'another furrow is starting in this repository', { hint: 'furrow status' });
}

/**
 * Makes a deleted epoch ref again; only for the daemon that holds the farm's lock. `replaced`: the ref is another
 * daemon's, and this one has nothing to say any more.
 */
export async function restoreEpoch(repo: Repo, epoch: Epoch): Promise<'there' | 'restored' | 'replaced'> {
  const at = (await listRefs(repo, EPOCH))[0]?.oid;
  if (at !== undefined) return at === epoch.oid ? 'there' : 'replaced';
  // Written again: with the ref gone, a gc may have taken the blob.
  await writeBlob(repo, epoch.text);
  const made = await moveRef(repo, { ref: EPOCH, to: epoch.oid, from: null });
  return made.moved ? 'restored' : made.at === epoch.oid ? 'there' : 'replaced';
}

function numberOf(text: string): number {
  const n = Number(/^furrow epoch (\d+)( [0-9a-f]+)?$/.exec(text)?.[1]);
  if (Number.isSafeInteger(n)) return n;
  throw new FurrowError('EPOCH_UNREADABLE', `${EPOCH} holds something that is not an epoch`, { hint: `git cat-file -p ${EPOCH}` });
}
