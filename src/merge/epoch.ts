import { FurrowError } from '../platform/error.ts';
import { writeBlob } from '../platform/git/objects.ts';
import { listRefs, moveRef, type RefValue } from '../platform/git/refs.ts';
import { git, type Repo } from '../platform/git/run.ts';

/** The fence: a daemon that was replaced holds an old one, and git itself refuses its moves. */
export interface Epoch extends RefValue {
  readonly n: number;
}

const REF = 'refs/furrow/epoch';

/**
 * Takes the next epoch. Every move of a ref verifies it in the same transaction, so from here on whoever held an earlier
 * one can move nothing, even if it was only asleep.
 */
export async function nextEpoch(repo: Repo): Promise<Epoch> {
  for (let tries = 0; tries < 10; tries++) {
    const last = (await listRefs(repo, REF))[0]?.oid;
    const n = last === undefined ? 1 : numberOf(await git(repo, ['cat-file', 'blob', last])) + 1;
    const oid = await writeBlob(repo, `furrow epoch ${n}\n`);
    if ((await moveRef(repo, { ref: REF, to: oid, from: last ?? null })).moved) return { ref: REF, oid, n };
  }
  throw new FurrowError('TRY_AGAIN', 'another furrow is starting in this repository', { hint: 'furrow status' });
}

function numberOf(text: string): number {
  const n = Number(/^furrow epoch (\d+)$/.exec(text)?.[1]);
  if (Number.isSafeInteger(n)) return n;
  throw new FurrowError('EPOCH_UNREADABLE', `${REF} holds something that is not an epoch`, { hint: `git cat-file -p ${REF}` });
}
