import { readProject } from '../../config/project/read.ts';
import { assertNoBranchInWay } from '../../platform/git/branch-in-way.ts';
import { changedLines, diffPaths } from '../../platform/git/objects.ts';
import { createRef, deleteRefs, isAncestor, listRefs, refsWithin, resolve, resolveAll, treeOf } from '../../platform/git/refs.ts';
import { identityOf } from '../../platform/git/repository.ts';
import type { Repo } from '../../platform/git/run.ts';
import { buildRevert } from '../../queue/slow-checks/revert.ts';
import { stepsWithoutReverted } from '../../queue/slow-checks/state-without-step.ts';
import { commitsOf } from '../../repo/change-rules/commits.ts';
import { protectedLinks } from '../../repo/change-rules/links.ts';
import { readSteps } from '../../repo/change-rules/read.ts';
import { adopt, asAdopted } from '../../repo/merge/adopt.ts';
import { changes } from '../../repo/merge/changes.ts';
import { contentOf } from '../../repo/merge/content-key.ts';
import { landedBetween, worksBetween } from '../../repo/merge/landed-as.ts';
import { laggards } from '../../repo/merge/late-switch.ts';
import { patchOf } from '../../repo/merge/patch.ts';
import { sinceTarget } from '../../repo/merge/since-target.ts';
import { openStack, type Stack } from '../../repo/merge/stack.ts';
import * as looks from '../../repo/merge/stamps.ts';
import { bringsBack, landingsTakenOut, takenOut } from '../../repo/merge/taken-out.ts';
import { noBranch } from '../../repo/merge/target-branch.ts';
import { landingsOn } from '../../repo/merge/trailers.ts';
import { carriedTasks, unpublishedLandings } from '../../repo/merge/unpublished.ts';
import { decidingFiles } from '../../repo/setup/key.ts';
import { hooksFolder } from '../../repo/worktree/hooks-changed.ts';

/** Questions that the leader asks, and the few refs that it writes. */
const questions = {
  ...looks,
  adopt,
  asAdopted,
  assertNoBranchInWay,
  bringsBack,
  buildRevert,
  carriedTasks,
  changedLines,
  changes,
  commitsOf,
  contentOf,
  createRef,
  decidingFiles,
  deleteRefs,
  diffPaths,
  hooksFolder,
  identityOf,
  isAncestor,
  laggards,
  landedBetween,
  landingsOn,
  landingsTakenOut,
  listRefs,
  noBranch,
  openStack,
  patchOf,
  protectedLinks,
  readProject,
  readSteps,
  refsWithin,
  resolve,
  resolveAll,
  sinceTarget,
  stepsWithoutReverted,
  takenOut,
  treeOf,
  unpublishedLandings,
  worksBetween,
};

type Asked<F> = F extends (repo: Repo, ...rest: infer Rest) => infer Answer ? (...rest: Rest) => Answer : never;
type Questions = { readonly [K in keyof typeof questions]: Asked<(typeof questions)[K]> };

/** A stack as the queue uses it. */
export interface States extends Pick<Stack, 'head' | 'results' | 'merge' | 'build' | 'isSound' | 'remember' | 'retain'> {
  advance(commit: string): States | undefined;
}

/**
 * The repository as the leader knows it. It asks git by this alone, so that one day another machine can answer; the simulator
 * (`test/farm-sim`) answers from memory.
 */
export interface Repository extends Omit<Questions, 'openStack'> {
  openStack(...terms: Parameters<Questions['openStack']>): Promise<States>;
}

export const repositoryAt = (repo: Repo): Repository =>
  Object.fromEntries(
    Object.entries(questions).map(([name, ask]) => [name, (ask as (...all: unknown[]) => unknown).bind(null, repo)]),
  ) as never;
