import { basename } from 'node:path';
import { agentsOf } from '../../agents/agent/store.ts';
import type { Out } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { fromGitPath } from '../../journal/branch.ts';
import { FurrowError } from '../../platform/error.ts';
import { plantedRefs } from '../../platform/git/planted-refs.ts';
import { deleteRefs, listRefs, type RefValue, refsWithin, resolve } from '../../platform/git/refs.ts';
import { discard, trashNear } from '../../platform/git/trash.ts';
import { worktrees } from '../../platform/git/worktrees.ts';
import { formerPlaces, isBelow } from '../../platform/places.ts';
import { shadowRef } from '../../repo/merge/shadow.ts';
import { headRef } from '../../repo/merge/target-refs.ts';
import { listTemplates, retired, TIDY } from '../../repo/setup/template.ts';
import { disposable, purgeTrash, TRASH_MS, toTrash, trashed } from '../../repo/worktree/dispose.ts';
import { openAttempts } from '../../work/attempt/store.ts';
import { openQuestions } from '../../work/question/store.ts';
import { takenTasks, unfinishedRefs } from '../../work/task/store.ts';
import { takenOf } from '../../work/task/taken-over.ts';
import { agentKey } from '../acts/keys.ts';
import type { Farm } from '../farm/farm.ts';
import { lastTarget } from '../farm/inputs/target.ts';
import type { Desk } from './context.ts';
import { examine } from './doctor/doctor.ts';

export function upkeep(desk: Desk): Pick<Handlers, 'clean' | 'doctor'> {
  return {
    clean: ({ dryRun }) => clean(desk, dryRun),
    doctor: async ({ fix }) => ({ findings: await examine(desk, fix) }),
  };
}

/** Removes what is proven to hold no work of its own: worktrees, slots, templates, refs of landed work, old trash. */
async function clean(desk: Desk, dryRun: boolean): Promise<Out<'clean'>> {
  const { farm, state } = desk;
  const found: Out<'clean'> = { removed: [], kept: [] };
  const head = state.queue.head;
  if (!head) throw new FurrowError('TRY_AGAIN', 'the target has not been read yet', { hint: 'furrow status' });
  const former = formerPlaces(farm.repo.root);
  const within = (path: string, ...roots: string[]) => roots.some((root) => isBelow(path, root));
  for (const { path } of await worktrees(farm.repo)) {
    if (within(path, farm.places.slots, former.slots)) await cleanSlot(desk, path, dryRun, found);
    if (within(path, farm.places.worktrees, former.worktrees)) await cleanWorktree(desk, path, head, dryRun, found);
  }
  await cleanTemplates(desk, dryRun, found);
  const refs = await spentRefs(desk, head, found.kept);
  const gone = dryRun ? refs.map((one) => one.ref) : await deleteRefs(farm.repo, refs);
  for (const path of gone) found.removed.push({ path, what: path.startsWith('refs/heads/') ? 'landed branch' : 'ref' });
  if (!dryRun) await purgeTrash(farm.places, TRASH_MS, farm.clock.now());
  for (const path of await trashed(farm.places)) found.kept.push({ path, reason: 'in the trash, for a day' });
  return found;
}

async function cleanSlot({ farm, machine, state }: Desk, path: string, dryRun: boolean, found: Out<'clean'>): Promise<void> {
  const checking = state.queue.running.size + state.slowChecks.running.size > 0;
  if (checking || state.queue.merging.size > 0 || machine.setups.running.size > 0) {
    found.kept.push({ path, reason: 'in use' });
    return;
  }
  if (!dryRun) await toTrash(farm.repo, path);
  found.removed.push({ path, what: 'check slot' });
}

/** Removes templates of set-up, which can be made again; the one used last stays, because it is the next to be used. */
async function cleanTemplates({ farm, machine }: Desk, dryRun: boolean, found: Out<'clean'>): Promise<void> {
  const all = await listTemplates(farm.places.templates);
  const gone = retired(all, farm.clock.now(), machine.setups.inUse(), TIDY);
  for (const { folder } of gone) {
    if (!dryRun) await discard(folder, await trashNear(farm.repo, folder), `template-${basename(folder)}`);
    found.removed.push({ path: folder, what: 'template of set-up' });
  }
  for (const { folder } of all.filter((one) => !gone.includes(one))) found.kept.push({ path: folder, reason: 'used by set-up' });
}

/** An agent's worktree is disposed of under the agent's own key, so that no attempt starts in it meanwhile. */
async function cleanWorktree(desk: Desk, path: string, head: string, dryRun: boolean, found: Out<'clean'>): Promise<void> {
  const { farm, perform } = desk;
  const owner = (await agentsOf(farm.db)).find((agent) => agent.worktree === path);
  const busy = owner && (owner.attempt !== null || perform.flying(agentKey(owner.name)));
  const taken = (await takenTasks(farm.db)).find((row) => takenOf(row)?.worktree === path);
  if (taken) {
    found.kept.push({ path, reason: `${takenOf(taken)?.by} took ${taken.id} over; furrow give ${taken.id}` });
    return;
  }
  const own = owner && (await resolve(farm.repo, headRef(await lastTarget(farm, owner.name))));
  const verdict = busy ? { ok: false as const, reason: 'in use' } : await disposable(farm.repo, path, { target: own ?? head });
  if (!verdict.ok) {
    found.kept.push({ path, reason: verdict.reason });
    return;
  }
  if (!dryRun && owner) await perform.start('worktree.dispose', { path, agent: owner.name });
  else if (!dryRun) await toTrash(farm.repo, path, verdict.landed);
  found.removed.push({ path, what: 'worktree' });
}

const OURS = ['pin', 'rescue', 'pin-branch', 'pin-worktree', 'conflict', 'check'].map((name) => `refs/furrow/${name}/`);

const CONFLICTS = 'refs/furrow/conflict/';
const BRANCHES = 'refs/heads/furrow/';

/** The reason why a merge with markers is still needed: an open question names it, or its task is still to be done. */
async function neededConflicts({ db }: Farm): Promise<(ref: string) => string | undefined> {
  const questions = await openQuestions(db);
  const open = new Set(await unfinishedRefs(db));
  return (ref) => {
    if (!ref.startsWith(CONFLICTS)) return undefined;
    const task = fromGitPath(ref.slice(CONFLICTS.length));
    const question = questions.find((one) => one.subject === task || one.reason.includes(ref));
    if (question) return `question ${question.id} is about it`;
    return open.has(task) ? 'its task is still to be done' : undefined;
  };
}

/** Refs whose commits the verified head contains, or its shadow where they were squashed: deleting them loses no commit. */
async function spentRefs({ farm, state }: Desk, head: string, kept: Out<'clean'>['kept']): Promise<RefValue[]> {
  const { repo } = farm;
  const spent: RefValue[] = [];
  // Also what landed on a target of an earlier time.
  const heads = [{ oid: head }, ...(await listRefs(repo, headRef(''))), ...(await listRefs(repo, shadowRef('')))].map(({ oid }) => oid);
  const folders = [...OURS, BRANCHES];
  // One git for each ref and head took 8.6 s at 400 refs.
  const landed = new Map((await refsWithin(repo, heads, folders)).map(({ ref, oid }) => [ref, oid]));
  const needed = await neededConflicts(farm);
  for (const { path, what } of plantedRefs(repo.gitDir)) kept.push({ path, reason: `it is ${what}, which furrow did not make` });
  for (const prefix of folders) {
    for (const one of await listRefs(repo, prefix)) {
      const why = needed(one.ref);
      if (why) kept.push({ path: one.ref, reason: why });
      else if (prefix === CONFLICTS || prefix === 'refs/furrow/check/' || landed.get(one.ref) === one.oid) spent.push(one);
      else kept.push({ path: one.ref, reason: 'it has commits that have not landed' });
    }
  }
  // Asked last: comparing took a while, and an attempt that began meanwhile has its branch exactly at the head.
  const checkedOut = (await worktrees(repo)).flatMap((one) => (one.branch ? [one.branch] : []));
  const live = await openAttempts(farm.db);
  const used = new Set([...checkedOut, ...live.map((row) => `refs/heads/${row.branch}`)]);
  const checking = state.queue.running.size + state.slowChecks.running.size > 0;
  return spent.filter(({ ref }) => {
    const inUse = used.has(ref) || (checking && ref.startsWith('refs/furrow/check/'));
    if (inUse) kept.push({ path: ref, reason: 'in use' });
    return !inUse;
  });
}
