import { openAttempts } from '../attempt/store.ts';
import { noteTornHead } from '../farm/torn-head.ts';
import { append } from '../journal/event.ts';
import { headRef } from '../merge/land.ts';
import { brokenRefs, dropRefs, isRemade, ownRefs } from '../platform/git/broken-refs.ts';
import { type OwnHead, ownHeads } from '../platform/git/own-heads.ts';
import { clearOwnRefs } from '../platform/git/planted.ts';
import { moveRef, type RefValue, resolveAll } from '../platform/git/refs.ts';
import { tornRefs } from '../platform/git/torn-refs.ts';
import { raiseQuestion } from '../question/store.ts';
import type { Host } from './host.ts';

type Mending = Pick<Host, 'repo' | 'db' | 'clock' | 'wake' | 'target'>;

/** Takes refs without an object away, or back to where an attempt began. Work that is lost with one is told. A head is left to the leader. */
export async function mendRefs(farm: Mending): Promise<{ headLost: boolean }> {
  for (const { path, what } of await clearOwnRefs(farm.repo)) {
    const text = `${path} was ${what}, at which every git waits; it is in the trash now`;
    await farm.db.transaction().execute((tx) => append(tx, { kind: 'ref.planted', text, data: { path } }, farm.clock.now()));
  }
  const { broken, torn, slots, known } = await hurtRefs(farm);
  const headLost = [...broken, ...torn].some(isHead);
  await noteHeads(farm, torn.filter(isHead));
  await emptySlots(farm, slots, known);
  const hurt = [...broken, ...torn.filter(isRemade)];
  if (hurt.length === 0) return { headLost };
  const returned = await returnBranches(farm, hurt);
  const { remade, lost } = await dropRefs(
    farm.repo,
    hurt.filter((one) => !returned.includes(one)),
  );
  const all = [...returned, ...remade, ...lost];
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    for (const { ref, oid } of all) {
      const text = `${ref} named ${oid.slice(0, 12)}, which git no longer has, or not all of it; it ${remade.some((one) => one.ref === ref) ? 'is made again when it is needed' : 'was taken away'}`;
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

const isHead = ({ ref }: RefValue) => ref.startsWith(headRef(''));

interface Hurt {
  readonly broken: readonly RefValue[];
  readonly torn: readonly RefValue[];
  /** Slots at such a commit. */
  readonly slots: readonly OwnHead[];
  /** The target. */
  readonly known: readonly string[];
}

/** Refs of ours whose commit is gone, or something behind it. What the targets have is the person's, and is not looked at. */
async function hurtRefs({ repo, target }: Mending): Promise<Hurt> {
  const refs = await ownRefs(repo);
  const heads = (await ownHeads(repo)).filter(({ slot }) => slot);
  const targets = new Set([target, ...refs.filter(isHead).map(({ ref }) => ref.slice(headRef('').length))]);
  const found = await resolveAll(
    repo,
    [...targets].map((name) => `refs/heads/${name}`),
  );
  const known = found.flatMap((oid) => oid ?? []);
  const broken = await brokenRefs(repo, [...refs, ...heads]);
  const torn = await tornRefs(
    repo,
    [...refs, ...heads].filter((one) => !broken.includes(one)),
    known,
  );
  const hurt = new Set([...broken, ...torn].map(({ ref }) => ref));
  const own = (some: readonly RefValue[]) => some.filter(({ ref }) => ref.startsWith('refs/'));
  return { broken: own(broken), torn: own(torn), slots: heads.filter(({ ref }) => hurt.has(ref)), known };
}

/** The leader decides for the landings behind a head. */
async function noteHeads({ db }: Mending, heads: readonly RefValue[]): Promise<void> {
  if (heads.length === 0) return;
  await db.transaction().execute(async (tx) => {
    for (const { ref, oid } of heads) await noteTornHead(tx, ref.slice(headRef('').length), oid);
  });
}

/** A slot is brought to a commit before each check; until then it is at the target, which git has. */
async function emptySlots({ repo }: Mending, slots: readonly OwnHead[], [at]: readonly string[]): Promise<void> {
  for (const { ref, oid } of slots) if (at) await moveRef(repo, { ref, to: at, from: oid });
}

const lostText = (ref: string, oid: string) =>
  `${ref} kept ${oid.slice(0, 12)}, and git no longer has that commit: a git gc --prune=now, a git prune, or somebody who cleared objects, took it`;

/** The branch of an attempt at work goes back to its base: without a commit behind it every git in its worktree fails. */
async function returnBranches({ repo, db }: Pick<Mending, 'repo' | 'db'>, broken: readonly RefValue[]): Promise<RefValue[]> {
  const returned: RefValue[] = [];
  for (const { branch, base } of await openAttempts(db)) {
    const one = broken.find(({ ref }) => ref === `refs/heads/${branch}`);
    if (one && (await moveRef(repo, { ref: one.ref, to: base, from: one.oid })).moved) returned.push(one);
  }
  return returned;
}
