import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openAttempts } from '../attempt/store.ts';
import { append } from '../journal/event.ts';
import { headRef } from '../merge/land.ts';
import { brokenRefs, dropRefs } from '../platform/git/broken-refs.ts';
import { isCollecting } from '../platform/git/gc.ts';
import { clearOwnRefs } from '../platform/git/planted.ts';
import { objectsGone } from '../platform/git/pruned.ts';
import { moveRef, type RefValue } from '../platform/git/refs.ts';
import { raiseQuestion } from '../question/store.ts';
import type { Host } from './host.ts';
import { mendOwnIndexes } from './whole-indexes.ts';

type Looking = Pick<Host, 'repo' | 'db' | 'clock' | 'doubts' | 'wake' | 'target'>;

/** A gc writes its pack first and removes objects after: the look comes when it has ended. */
const SETTLED_MS = 2000;

/** The pace of the dearer look for what a `git prune` took. */
const PRUNED_MS = 10_000;

/**
 * A look, every second, for refs and indexes of ours whose objects are gone. It costs a `stat`, and git only at the start, after somebody's gc, repack or
 * prune, or when a git of ours failed for want of an object.
 */
export function wholeRefs(farm: Looking, headLost: () => void): () => Promise<void> {
  let packs = packsOf(farm);
  let due = farm.clock.awake();
  const isPruned = atPace(farm, PRUNED_MS, objectsGone(farm.repo.gitDir));
  return async () => {
    const seen = packsOf(farm);
    if (isPruned() || seen !== packs) due = farm.clock.awake() + SETTLED_MS;
    packs = seen;
    if (farm.doubts.objects) due = Math.min(due, farm.clock.awake());
    if (farm.clock.awake() < due || isCollecting(farm.repo.gitDir)) return;
    due = Number.POSITIVE_INFINITY;
    farm.doubts.objects = false;
    try {
      if ((await mendRefs(farm)).headLost) headLost();
      if (await mendOwnIndexes(farm)) due = farm.clock.awake() + PRUNED_MS;
    } catch (error) {
      due = farm.clock.awake() + SETTLED_MS;
      throw error;
    }
  };
}

/** The same look, taken once in so many milliseconds; false in between. */
function atPace({ clock }: Looking, ms: number, look: () => boolean): () => boolean {
  let next = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.awake() < next) return false;
    next = clock.awake() + ms;
    return look();
  };
}

const packsOf = ({ repo }: Looking) => statSync(join(repo.gitDir, 'objects/pack'), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Takes refs without an object away, or back to where an attempt began. Work that is lost with one is told. A head is left to the leader. */
export async function mendRefs(farm: Omit<Looking, 'doubts'>): Promise<{ headLost: boolean }> {
  for (const { path, what } of await clearOwnRefs(farm.repo)) {
    const text = `${path} was ${what}, at which every git waits; it is in the trash now`;
    await farm.db.transaction().execute((tx) => append(tx, { kind: 'ref.planted', text, data: { path } }, farm.clock.now()));
  }
  const broken = await brokenRefs(farm.repo);
  const headLost = broken.some(({ ref }) => ref.startsWith(headRef('')));
  if (broken.length === 0) return { headLost };
  const returned = await returnBranches(farm, broken);
  const { remade, lost } = await dropRefs(
    farm.repo,
    broken.filter((one) => !returned.includes(one)),
  );
  const all = [...returned, ...remade, ...lost];
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    for (const { ref, oid } of all) {
      const text = `${ref} named ${oid.slice(0, 12)}, which git no longer has; it ${remade.some((one) => one.ref === ref) ? 'is made again when it is needed' : 'was taken away'}`;
      await append(tx, { kind: 'ref.dropped', text, data: { ref, commit: oid } }, now);
    }
    for (const { ref, oid } of lost) await raiseQuestion(tx, { kind: 'lost', subject: ref, reason: lostText(ref, oid) }, now);
    for (const { ref, oid } of returned)
      await raiseQuestion(
        tx,
        { kind: 'lost', subject: ref, reason: `${lostText(ref, oid)}; the files in its worktree are as they were` },
        now,
      );
  });
  farm.wake();
  return { headLost };
}

const lostText = (ref: string, oid: string) =>
  `${ref} kept ${oid.slice(0, 12)}, and git no longer has that commit: a git gc --prune=now, a git prune, or somebody who cleared objects, took it`;

/** The branch of an attempt at work goes back to its base: without a commit behind it every git in its worktree fails. */
async function returnBranches({ repo, db }: Pick<Looking, 'repo' | 'db'>, broken: readonly RefValue[]): Promise<RefValue[]> {
  const returned: RefValue[] = [];
  for (const { branch, base } of await openAttempts(db)) {
    const one = broken.find(({ ref }) => ref === `refs/heads/${branch}`);
    if (one && (await moveRef(repo, { ref: one.ref, to: base, from: one.oid })).moved) returned.push(one);
  }
  return returned;
}
