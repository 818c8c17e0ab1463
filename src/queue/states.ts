import type { QueuedState } from '../journal/rows/entry.ts';
import { isSuspect } from './check-for-approval.ts';
import type { QueueFacts } from './facts.ts';
import { asksForYes } from './green-lacks-approval.ts';
import { isBusy, segmentsOf } from './links.ts';
import type { Marks } from './marks.ts';
import type { Places } from './places.ts';
import type { QueuePlan, WantedCheck } from './plan-types.ts';
import { beforeYes, HELD, ridingText, suspicionText } from './reasons.ts';
import type { Group } from './snapshot.ts';

interface State {
  readonly state: QueuedState;
  readonly reason: string;
}

/** The state of every live entry that is not queued. `begun`: the checks that this plan starts. */
export function statesIn(facts: QueueFacts, places: Places, marks: Marks, begun: readonly WantedCheck[]): Map<number, State> {
  const { chain, held, groups, green } = places;
  const states = new Map<number, State>();
  const trees = new Set(begun.map((check) => check.tree));
  for (const [at, ids] of segmentsOf(chain).entries()) {
    const top = chain.links[chain.ends[at]! - 1]!;
    if (!trees.has(top.tree) && !isBusy(facts, top)) continue;
    for (const id of ids) states.set(id, { state: 'checking', reason: ridingText(chain, ids, at, marks) });
  }
  for (const { ids } of held) for (const id of ids) states.set(id, { state: 'held', reason: HELD });
  for (const group of groups) {
    const [first] = group.ids;
    if (isSuspect(facts, marks, group))
      for (const id of group.ids) states.set(id, { state: 'quarantined', reason: suspicionText(facts, group, marks) });
    else if (isChecked(facts, group, first!, begun)) states.set(first!, { state: 'checking', reason: beforeYes(facts.open.get(first!)!) });
  }
  for (const id of green.keys()) states.set(id, { state: 'held', reason: asksForYes(facts.snapshot, facts.open.get(id)!) });
  return states;
}

/**
 * Changes of state inside the queue. Ends are not repeated here, but only an entry in quarantine can be rejected. While the head is about
 * to move, or merges are awaited (`waits`), no entry goes back to `queued` for a moment.
 */
export function movesOf(
  facts: QueueFacts,
  states: ReadonlyMap<number, State>,
  { released }: Pick<Places, 'released'>,
  land: QueuePlan['land'],
  waits: boolean,
): QueuePlan['states'] {
  const landing = new Set(land?.entries);
  return [...facts.live.values()].flatMap(({ id, state }) => {
    const next: State = states.get(id) ?? { state: 'queued', reason: released.get(id) ?? 'waits in the queue' };
    const stays = next.state === 'queued' && waits && !released.has(id);
    return landing.has(id) || next.state === state || stays ? [] : [{ entry: id, ...next }];
  });
}

/** True while a check of the entry alone on the head runs, or begins now. */
export function isChecked(facts: QueueFacts, group: Group | undefined, id: number, begun: readonly WantedCheck[]): boolean {
  const result = facts.snapshot.stacked.get(`${id}`);
  const runs = (tree: string) => facts.busyTrees.has(tree) || begun.some((check) => check.tree === tree);
  return (result?.kind === 'clean' && runs(result.tree)) || (group?.trials ?? []).some((trial) => facts.busyTrees.has(trial.tree));
}
