import { queueTarget, type Targeted, waitsForTarget } from '../../../queue/target.ts';
import { openEntries } from '../../../work/entry/read.ts';
import type { Entry } from '../../../work/entry/store.ts';
import { isSatisfied } from '../../../work/task/derive.ts';
import { LAND, PUBLISH } from '../../acts/keys.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import { targetOf } from '../../farm/target-of.ts';
import { reviewWaits } from '../review/read.ts';
import { freshTarget, type LoopState, type TargetState } from '../state.ts';
import { awaitsYes } from './approval.ts';

/** Every open entry with the target it is for. */
export async function targetedEntries(farm: Farm): Promise<Targeted[]> {
  const rows = await openEntries(farm.db);
  return rows.map(({ id, task, target, after }) => ({
    id,
    task,
    target: targetOf({ target }, farm),
    after: JSON.parse(after) as string[],
  }));
}

/** Moves the queue to another target when the entries for the one before have landed or gone. */
export async function switchTarget(farm: Farm, state: LoopState, perform: Performer): Promise<void> {
  const { queue } = state;
  // What is under way was decided for the present target of the queue.
  if (perform.flying(LAND) || perform.flying(PUBLISH) || queue.merging.size > 0) return;
  const open = await targetedEntries(farm);
  const next = await chooseTarget(farm, open);
  if (next === queue.target) return;
  leave(state);
  const known = state.others.get(next);
  state.others.delete(next);
  const { queue: head, ...rest } = known ?? { ...freshTarget(), queue: { target: next, head: '', headTree: '', moves: 0 } };
  Object.assign(state, rest);
  Object.assign(queue, head, { stack: undefined, stands: undefined, halted: undefined, forgotten: 0 });
}

async function chooseTarget(farm: Farm, open: readonly Targeted[]): Promise<string> {
  const targets = [...new Set(open.map((entry) => entry.target))];
  if (targets.length < 2) return targets[0] ?? farm.target;
  const there = new Set<string>();
  for (const target of targets) if (await farm.git.resolve(`refs/heads/${target}`)) there.add(target);
  const tasks = await farm.tasks();
  const rows = await openEntries(farm.db);
  const reviews = await reviewWaits(farm, farm.db);
  const waits = (row: Entry) => reviews.has(row.id) || awaitsYes(farm.config, row, tasks.row(row.task));
  const waiting = new Set(rows.filter(waits).map((row) => row.id));
  return queueTarget({
    open: open.map((entry) => ({ ...entry, awaitsYes: waiting.has(entry.id) })),
    inForce: farm.target,
    hasLanded: (ref) => {
      const task = tasks.row(ref);
      return task !== undefined && isSatisfied(task);
    },
    exists: (target) => there.has(target),
  });
}

/** Leaves a target. Its unpublished landings are followed until they are published. */
function leave(state: LoopState): void {
  const { targetSeen, targetLost, targetAt, strayed, publishing, unpushed, newest, pushFailed, pushSeen, queue } = state;
  const { target, head, headTree, moves } = queue;
  if (!target) return;
  const left = { targetSeen, targetLost, targetAt, strayed, publishing, unpushed, newest, pushFailed, pushSeen };
  state.others.set(target, { ...left, queue: { target, head, headTree, moves } });
}

/** The state that a target's publication belongs to; undefined when nobody follows it any more. */
export const stateFor = (state: LoopState, target: string): TargetState | undefined =>
  state.queue.target === target ? state : state.others.get(target);

/** Why each open entry for another target waits, by its id. */
export async function waitingElsewhere(farm: Farm, working: string): Promise<Map<number, string>> {
  const open = await targetedEntries(farm);
  const reason = waitsForTarget(open, working);
  return new Map(open.filter((entry) => entry.target !== working).map((entry) => [entry.id, reason]));
}
