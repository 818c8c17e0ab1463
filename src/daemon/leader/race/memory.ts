import { resolve } from '../../../work/task/derive.ts';
import type { DispatchSnapshot } from '../../../work/task/dispatch.ts';
import { graphOf } from '../../../work/task/graph.ts';
import { splitRef } from '../../../work/task/id.ts';
import { movable } from '../../../work/task/stuck.ts';

/** The memory of races between ticks. All of it is found out again after a crash. */
export interface RaceMemory {
  /** Entrants whose merge is being computed, by the refs of their errands. */
  readonly merging: Set<string>;
  /** Races that wait for agents alone: the errands that each waits for, by the ref of its task. */
  readonly waiting: Map<string, readonly string[]>;
}

export const emptyRaces = (): RaceMemory => ({ merging: new Set(), waiting: new Map() });

/**
 * Raced tasks that are stuck: none of the errands that their races wait for can move without a person. An errand that the snapshot does not
 * know was begun after it was read, so it can.
 */
export function stuckRaces({ waiting }: RaceMemory, snapshot: DispatchSnapshot): Set<string> {
  if (waiting.size === 0) return new Set();
  const moving = new Set([...movable(snapshot)].map((task) => task.ref));
  const { index } = graphOf(snapshot.tasks);
  const isNew = (ref: string) => resolve(index, splitRef(ref), ref) === undefined;
  return new Set([...waiting].filter(([, errands]) => !errands.some((ref) => moving.has(ref) || isNew(ref))).map(([task]) => task));
}
