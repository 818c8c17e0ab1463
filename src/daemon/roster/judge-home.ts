import { goWithWork } from '../../agents/lease/paths.ts';
import type { AgentEnded } from '../../hosts/link/agent-frames.ts';
import { linkedWorktrees } from '../../platform/git/admin.ts';
import { isAncestor, moveRef, rawValue, resolve } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import { headRef } from '../../repo/merge/target-refs.ts';
import { ahead } from '../../repo/worktree/harvest.ts';
import { changedNothing, type Judgement, missing, withUnlanded } from '../../work/attempt/evidence.ts';
import type { Attempt } from '../../work/attempt/store.ts';
import { reworkOf } from '../../work/task/rework.ts';
import type { Ended, EndFacts } from '../acts/attempt-end/arguments.ts';
import { pinAs } from '../farm/pin-as.ts';
import { pinOf } from '../farm/pins.ts';
import { protectedPaths } from '../farm/protect.ts';
import { targetOf } from '../farm/target-of.ts';
import { isSome, landOrDrop, unlandedWork } from '../farm/unlanded-work.ts';
import type { Brought } from './bring-home.ts';
import type { RosterFarm } from './farm.ts';

/**
 * Keeps the commits of an attempt that came home, and judges by them what its host says of its end. A host is believed that an agent failed; that there is
 * something to land is seen here.
 */
export async function judgeHome(farm: RosterFarm, facts: EndFacts, said: AgentEnded, sent: Brought): Promise<Ended> {
  const { row, task } = facts;
  // A branch without commits of its own did not have to be sent.
  const known = [row.base, reworkOf(task)?.from].find((oid) => oid === said.sha);
  const brought = { ...(known && { tip: known }), ...sent };
  const { tip } = brought;
  const target = targetOf(row, farm);
  const head = (await resolve(farm.repo, headRef(target))) ?? row.base;
  const left = tip === undefined ? NOTHING : await ahead(farm.repo, { base: reworkOf(task)?.from ?? row.base, target: head }, tip);
  const checked = checkSaid(said, { ...left, protectedPaths: protectedPaths(farm, left.changed) });
  const unlanded = changedNothing(checked) ? await unlandedWork(farm.repo, row.task, facts.earlier, target, tip) : [];
  const judged = isSome(unlanded) ? withUnlanded(checked, landOrDrop(unlanded)) : checked;
  const submitted = judged.outcome === 'submitted';
  const kept = await keepHome(farm.repo, row, brought, submitted ? target : undefined);
  return {
    ...judged,
    sha: tip ?? null,
    kept,
    ...(submitted && { leases: goWithWork(facts.leases, left.changed).map(({ id }) => id) }),
    ...(unlanded.length > 0 && { unlanded }),
    ...(said.from !== undefined && said.from === tip && { from: tip }),
  };
}

const NOTHING: Awaited<ReturnType<typeof ahead>> = { commits: 0, own: 0, changed: [] };

/** Work that is handed in is looked at once more: the host may know less of what is protected, and it may lie. */
function checkSaid(
  { outcome, reason }: AgentEnded,
  left: Pick<typeof NOTHING, 'commits' | 'changed'> & { protectedPaths: string[] },
): Judgement {
  if (outcome !== 'submitted') return { outcome, reason };
  const no = missing({ ...left, dirty: false, special: [], operation: undefined, planted: undefined });
  return no === undefined ? { outcome, reason } : { outcome: 'failed', reason: `the agent reported done, but ${no}` };
}

/** Pins what came home as an ended attempt of this machine is pinned. Answers where uncommitted work is kept. */
export async function keepHome(repo: Repo, row: Attempt, { tip, head, uncommitted }: Brought, queuedFor?: string): Promise<string | null> {
  const pin = pinOf(row.task, row.n);
  if (tip !== undefined) {
    await pinAs(repo, pinOf(row.task, row.n, queuedFor), tip);
    await showBranch(repo, row.branch, tip);
  }
  if (head !== undefined && head !== tip) await pinAs(repo, `${pin}-head`, head);
  return uncommitted === undefined ? null : pinAs(repo, `${pin}-uncommitted`, uncommitted);
}

/** People look for the work on its branch. One that is checked out here, or has other commits, stays: the pin has the work. */
async function showBranch(repo: Repo, branch: string, tip: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const now = await rawValue(repo, ref);
  if (now === tip || (await linkedWorktrees(repo)).some(({ head }) => head === `ref: ${ref}`)) return;
  if (now !== undefined && !(await isAncestor(repo, now, tip).catch(() => false))) return;
  await moveRef(repo, { ref, to: tip, from: now ?? null }).catch(() => {});
}
