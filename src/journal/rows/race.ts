import type { Generated } from 'kysely';

/** `judging`: all results are in, and a judge was asked which of those that pass is the best. */
export type RaceState = 'racing' | 'judging' | 'ended';

export type RaceOutcome = 'won' | 'lost' | 'cancelled';

/** Several tries at one task at a time, of which one is to land. */
export interface RaceRow {
  id: Generated<number>;
  /** Ref of the raced task. */
  task: string;
  /** The token under which the race holds its task. */
  token: number;
  state: RaceState;
  /** The first that passes wins. */
  first: number;
  /** `awake` time; after it the race waits for no entrant. */
  deadline: number | null;
  /** Ref of the errand that judges; `command`: a command does; null: nobody was asked. */
  judge: string | null;
  /** The entrant that the judge named; 0: it named none. */
  picked: number | null;
  winner: number | null;
  outcome: RaceOutcome | null;
  /** The reason of the pick, and at the end that of the outcome. */
  why: string | null;
  at: number;
  ended: number | null;
}

/**
 * `finished`: its commits are to be checked; `green`: they pass; `out`: it gave up, or they fail; `dropped`: a person took it out; `lost`:
 * another entrant won.
 */
export type EntrantState = 'running' | 'finished' | 'green' | 'out' | 'dropped' | 'won' | 'lost';

/** One of the tries: an errand with its own agent, worktree and branch. */
export interface EntrantRow {
  race: number;
  /** From 1. */
  n: number;
  /** Ref of its errand. */
  ref: string;
  /** Null: the kind that the task would get. */
  kind: string | null;
  state: EntrantState;
  agent: string | null;
  /** The commit that it made. */
  sha: string | null;
  /** Its commit merged onto the head: the checked tree, a commit with that tree, and the number of changed lines. */
  tree: string | null;
  commit: string | null;
  lines: number | null;
  reason: string | null;
  at: number;
  ended: number | null;
}
