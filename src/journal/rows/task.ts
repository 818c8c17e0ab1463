import type { Generated } from 'kysely';

export type Standing = 'open' | 'leased' | 'submitted' | 'landed' | 'parked';

/** `work` is a task of the board; the others are errands, which the farm itself asks for and which have no file. */
export type Purpose = 'work' | 'review' | 'split' | 'judge' | 'entrant';

export interface TaskRow {
  ref: string;
  phase: string;
  id: string;
  /** Path below the board folder; empty for an errand. */
  file: string;
  /** Hash of the file as last read. */
  hash: string;
  title: string;
  status: string;
  priority: string;
  class: string;
  due: string | null;
  created: number;
  depends_on: string;
  tags: string;
  agent: string | null;
  /** The model and the effort that its agent is told; null: as its kind says. */
  model: Generated<string | null>;
  effort: Generated<string | null>;
  /** The address of the issue that its text came from; null: it was written here. */
  issue: Generated<string | null>;
  paths: string;
  /** JSON: names of the resources that an attempt at it holds. */
  needs: Generated<string>;
  check: string | null;
  blocked: number;
  block_reason: string | null;
  /** The standing in the store; `waiting`, `ready`, `blocked` and `archived` are derived from this and the board. */
  standing: Standing;
  /** Number of the newest attempt: the fencing token. */
  attempt: number;
  /** Attempts that failed by themselves (exit, red check, conflict); `attempts:` bounds these. */
  failures: number;
  /** Attempts that died from outside (signal, lost terminal); they are retried with back-off and have their own bound. */
  crashes: number;
  /** `awake` time. */
  not_before: number;
  /** JSON report for the next attempt: what went wrong, and the commits to start from. */
  rework: string | null;
  /** JSON: what the daemon still has to write into the task file; null when the file says what the store says. */
  want: string | null;
  commit: string | null;
  /** The time when its file was first found missing; null while it is there. A task that was worked on is kept. */
  missing: Generated<number | null>;
  /** The file's own `updated` as last read; 0 when it has none. */
  updated: Generated<number>;
  /**
   * The newest `updated` that the store has read or written. A file with an earlier one was turned back: by a stash, a switch, a checkout.
   */
  newest: Generated<number>;
  /** The claim in the file, of an agent or a person, and its time; 0 when the file does not say. */
  claimed_by: Generated<string | null>;
  claimed_at: Generated<number>;
  /** `approve`: its work lands only after a person's yes; null: as the phase or the farm says. */
  land: Generated<string | null>;
  /** 1: its work lands only after another agent's review; 0: it needs none; null: as the farm says. */
  review: Generated<number | null>;
  /** JSON of its `race`: a number of agents, or a list of kinds; null: none. */
  race: Generated<string | null>;
  /** JSON of who took it over, when, and where they work; null while nobody has. */
  taken: Generated<string | null>;
  /** Why it needed no change; null unless it ended that way. */
  unchanged: Generated<string | null>;
  /** Its number in the order in which tasks came to the board; lists show them in this order. */
  seq: Generated<number>;
  purpose: Generated<Purpose>;
  /** The agent that gets it only when no other is free: the author of the work to be reviewed. */
  not_by: Generated<string | null>;
}
