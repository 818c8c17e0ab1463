import { brokenRefs, type Dropped, dropRefs, isRemade, ownRefs } from '../../platform/git/broken-refs.ts';
import { type OwnHead, ownHeads } from '../../platform/git/own-heads.ts';
import { clearOwnRefs } from '../../platform/git/planted-refs.ts';
import { moveRef, type RefValue, resolveAll } from '../../platform/git/refs.ts';
import { tornRefs } from '../../platform/git/torn-refs.ts';
import { EPOCH } from '../../repo/merge/epoch.ts';
import { headRef } from '../../repo/merge/target-refs.ts';
import { readPin } from '../farm/pins.ts';
import type { Host } from './host.ts';
import { joinWork, type Work } from './join-work.ts';

type Mending = Pick<Host, 'repo' | 'leader' | 'wake' | 'target' | 'report'>;

/**
 * Takes refs without an object away, or back to where an attempt began; work with a gap behind it is kept as one commit. Work that is lost with
 * a ref is told. A head is left to the leader.
 */
export async function mendRefs(farm: Mending): Promise<{ headLost: boolean }> {
  for (const { path, what } of await clearOwnRefs(farm.repo)) {
    const text = `${path} was ${what}, at which every git waits; it is in the trash now`;
    await farm.report({ events: [{ kind: 'ref.planted', text, data: { path } }] });
  }
  const { broken, torn, slots, known } = await hurtRefs(farm);
  const headLost = [...broken, ...torn].some(isHead);
  await noteHeads(farm, torn.filter(isHead));
  await emptySlots(farm, slots, known);
  const unjoined = await joinWork(farm, torn.filter(isWork), known);
  // An entry whose files are not all there is named by the queue, with how to take it out.
  const hurt = [...broken, ...torn.filter(isRemade), ...unjoined.filter(({ ref }) => !readPin(ref)?.queuedFor)];
  if (hurt.length === 0) {
    if (torn.length > 0) farm.wake();
    return { headLost };
  }
  const returned = await returnBranches(farm, hurt, known);
  const { remade, lost } = await dropRefs(
    farm.repo,
    hurt.filter((one) => one.path === undefined && !returned.includes(one)),
  );
  await tellLost(farm, { returned, remade, lost });
  farm.wake();
  return { headLost };
}

const isWork = (one: RefValue) => !isRemade(one) && !isHead(one) && one.ref !== EPOCH;

const tellLost = (farm: Mending, { returned, remade, lost }: Dropped & { readonly returned: readonly RefValue[] }) =>
  farm.report({
    events: [...returned, ...remade, ...lost].map(({ ref, oid }) => {
      const fate = remade.some((one) => one.ref === ref) ? 'is made again when it is needed' : 'was taken away';
      const text = `${ref} named ${oid.slice(0, 12)}, which git no longer has, or not all of it; it ${fate}`;
      return { kind: 'ref.dropped', text, data: { ref, commit: oid } };
    }),
    questions: [
      ...lost.map(({ ref, oid }) => ({ kind: 'lost' as const, subject: ref, reason: lostText(ref, oid) })),
      ...returned.map(({ ref, oid }) => ({
        kind: 'lost' as const,
        subject: ref,
        reason: `${lostText(ref, oid)}; the files in its worktree are as they were`,
      })),
    ],
  });

const isHead = ({ ref }: RefValue) => ref.startsWith(headRef(''));

interface Hurt {
  readonly broken: readonly Work[];
  readonly torn: readonly Work[];
  /** Slots at such a commit. */
  readonly slots: readonly OwnHead[];
  /** The target. */
  readonly known: readonly string[];
}

/** Refs of ours whose commit is gone, or something behind it. What the targets have is the person's, and is not looked at. */
async function hurtRefs({ repo, target }: Mending): Promise<Hurt> {
  const refs = await ownRefs(repo);
  const heads = await ownHeads(repo);
  const targets = new Set([target, ...refs.filter(isHead).map(({ ref }) => ref.slice(headRef('').length))]);
  const found = await resolveAll(
    repo,
    [...targets].map((name) => `refs/heads/${name}`),
  );
  const known = found.flatMap((oid) => oid ?? []);
  const all: (Work & Partial<OwnHead>)[] = [...refs, ...heads];
  const broken = await brokenRefs(repo, all);
  const torn = await tornRefs(
    repo,
    all.filter((one) => !broken.includes(one)),
    known,
  );
  const work = (some: readonly (Work & Partial<OwnHead>)[]) => some.filter(({ slot }) => slot !== true);
  const hurt = new Set([...broken, ...torn].map(({ ref }) => ref));
  return { broken: work(broken), torn: work(torn), slots: heads.filter(({ ref, slot }) => slot && hurt.has(ref)), known };
}

/** The leader decides for the landings behind a head. */
const noteHeads = ({ report }: Mending, heads: readonly RefValue[]) =>
  report({ tornHeads: heads.map(({ ref, oid }) => ({ target: ref.slice(headRef('').length), head: oid })) });

/** A slot is brought to a commit before each check; until then it is at the target, which git has. */
async function emptySlots({ repo }: Mending, slots: readonly OwnHead[], [at]: readonly string[]): Promise<void> {
  for (const { ref, oid } of slots) if (at) await moveRef(repo, { ref, to: at, from: oid });
}

const lostText = (ref: string, oid: string) =>
  `${ref} kept ${oid.slice(0, 12)}, and git no longer has that commit or all its files: a git gc --prune=now, a git prune, or somebody who cleared objects, took it`;

/**
 * The branch of an attempt at work, and HEAD of a worktree of ours, go back to where the attempt began: without a commit behind it every git in
 * the worktree fails.
 */
async function returnBranches({ repo, leader }: Mending, hurt: readonly Work[], [target]: readonly string[]): Promise<Work[]> {
  const open = new Set((await leader.work.openBranches()).map((branch) => `refs/heads/${branch}`));
  const returned: Work[] = [];
  for (const one of hurt.filter(({ ref, path }) => path !== undefined || open.has(ref))) {
    const to = (await leader.work.baseOf(one)) ?? target;
    if (to && (await moveRef(repo, { ref: one.ref, to, from: one.oid })).moved) returned.push(one);
  }
  return returned;
}
