import { cheapFirst } from '../../../queue/cheap-first.ts';
import type { CheckSpec, StackResult } from '../../../queue/snapshot.ts';
import { indexRuns, type Runs, trailOf, verdictOf } from '../../../queue/verdict.ts';
import type { Task } from '../../../work/task/store.ts';
import { ownCheck, specsOf } from '../../farm/check-specs.ts';
import type { Farm } from '../../farm/farm.ts';
import { aboutsOf } from '../../farm/verdict-keys.ts';
import type { QueueMemory } from '../queue/memory.ts';
import { recentRuns, timed } from '../queue/runs.ts';
import { runsOf } from '../queue/snapshot.ts';

/** The checks that a result of the race must pass, the cheap ones first: the same as in the queue. */
export async function checksFor(farm: Farm, task: Pick<Task, 'check'>): Promise<CheckSpec[]> {
  return [...cheapFirst(specsOf(farm.config.checks, farm.config), timed(await recentRuns(farm))), ...ownCheck(task.check)];
}

/** Reads all runs about some trees. */
export async function runsAbout(farm: Farm, memory: QueueMemory, checks: readonly CheckSpec[], trees: readonly string[]): Promise<Runs> {
  const abouts = await aboutsOf(farm, checks, trees);
  const stacked = new Map<string, StackResult>(trees.map((tree) => [tree, { kind: 'clean', tree }]));
  return indexRuns(await runsOf(farm, memory, await recentRuns(farm), stacked, abouts), abouts);
}

export type TreeVerdict =
  | { readonly is: 'green' }
  | { readonly is: 'red'; readonly check: CheckSpec }
  | { readonly is: 'open'; readonly next: CheckSpec };

/** The verdict about a tree. A red counts after as many tries as in the queue; a check that cannot be run counts as red. */
export function treeVerdict(runs: Runs, tree: string, checks: readonly CheckSpec[], retries: number): TreeVerdict {
  const verdict = verdictOf(runs, tree, checks);
  if (verdict.is === 'green') return verdict;
  if (verdict.is === 'open') return verdict.broken ? { is: 'red', check: verdict.next } : { is: 'open', next: verdict.next };
  const fails = trailOf(runs, tree, verdict.check.id)?.fails.length ?? 0;
  return fails <= retries ? { is: 'open', next: verdict.check } : { is: 'red', check: verdict.check };
}
