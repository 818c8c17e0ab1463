/** The facts about an entry that decide which target comes first. */
export interface Targeted {
  readonly id: number;
  readonly task: string;
  readonly target: string;
  /** Refs of tasks that must land first. */
  readonly after: readonly string[];
  /** It waits for a person's yes. */
  readonly awaitsYes?: boolean;
}

interface TargetFacts {
  readonly open: readonly Targeted[];
  /** The target that new work lands on. */
  readonly inForce: string;
  readonly hasLanded: (task: string) => boolean;
  readonly exists: (target: string) => boolean;
}

/**
 * The one target that the queue works on: that of the oldest open entry, so that entries for an earlier target land before those for the
 * one in force. Some entries do not count: those that wait for work on another target, whose branch is gone, or that wait for a person's
 * yes.
 */
export function queueTarget({ open, inForce, hasLanded, exists }: TargetFacts): string {
  const targetOf = new Map(open.map((entry) => [entry.task, entry.target]));
  const canMove = ({ after, target, awaitsYes }: Targeted) =>
    !awaitsYes && after.every((task) => hasLanded(task) || targetOf.get(task) === target);
  const oldest = open.toSorted((a, b) => a.id - b.id);
  const there = oldest.filter((entry) => exists(entry.target));
  return (there.find(canMove) ?? there[0] ?? oldest[0])?.target ?? inForce;
}

/** The sentence about an entry for another target, which waits. */
export function waitsForTarget(open: readonly Pick<Targeted, 'target'>[], working: string): string {
  const n = open.filter((entry) => entry.target === working).length;
  const many = n === 1 ? `the entry for ${working} has` : `the ${n} entries for ${working} have`;
  return `waits until ${many} landed or left the queue`;
}
