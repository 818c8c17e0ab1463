import type { Farm } from './farm.ts';
import type { FarmRows } from './snapshot.ts';
import { targetOf } from './target-of.ts';

/** The facts that the leader hands to a host for a look at conflicts. Plain data. */
export interface ConflictRows {
  /** The target of the queue, and its head; empty while it is not known. */
  readonly target: string;
  readonly head: string;
  /** The tasks that agents work on. */
  readonly working: readonly InHand[];
}

interface InHand {
  readonly agent: string;
  readonly worktree: string;
  readonly task: string;
  readonly title: string;
  readonly target: string;
}

export function conflictRows(farm: Pick<Farm, 'target'>, queue: Pick<ConflictRows, 'target' | 'head'>, rows: FarmRows): ConflictRows {
  const worktrees = new Map(rows.agents.map(({ name, worktree }) => [name, worktree]));
  const working = rows.attempts.flatMap((attempt): InHand[] => {
    const { agent, task } = attempt;
    const worktree = worktrees.get(agent);
    // The files of an agent on another machine are there.
    if (attempt.state !== 'running' || worktree === undefined || attempt.host !== null) return [];
    return [{ agent, worktree, task, title: rows.row(task)?.title ?? '', target: targetOf(attempt, farm) }];
  });
  return { target: queue.target, head: queue.head, working };
}
