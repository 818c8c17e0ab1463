/** A claim as a task file has it. */
export interface Claimed {
  readonly claimedBy: string | null;
  /** 0 when the file does not say. */
  readonly claimedAt: number;
}

/**
 * The person whose claim on a task counts now, by kanban-md's rule: a claim without a time never expires. A claim of one of our own agents
 * does not count.
 */
export function claimant(task: Claimed, agents: ReadonlySet<string>, timeoutMs: number, now: number): string | undefined {
  if (task.claimedBy === null || agents.has(task.claimedBy)) return undefined;
  const over = timeoutMs > 0 && task.claimedAt > 0 && now - task.claimedAt > timeoutMs;
  return over ? undefined : task.claimedBy;
}
