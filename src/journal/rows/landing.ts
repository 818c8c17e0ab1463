import type { Generated } from 'kysely';

export interface LandingRow {
  id: Generated<number>;
  target: string;
  commit: string;
  tree: string;
  parent: string;
  /** JSON array of entry ids, in the order they are stacked in. */
  entries: string;
  /** JSON array of `{ entry, commit, tree }`: the state after each entry; the last one is the landing itself. */
  steps: string;
  at: number;
  published: number | null;
  /** Hash of the checks that were in force. */
  checks: Generated<string | null>;
  /** The time when a person took it out of the target; it does not come back. */
  removed: Generated<number | null>;
}

/** A landed task that a slow check found guilty, and the entry that takes it back. */
export interface RevertRow {
  id: Generated<number>;
  /** Commit of the step that is taken back. */
  step: string;
  task: string;
  /** The entry of the revert; null when it could not be built. */
  entry: number | null;
  check: string;
  /** The report for the next attempt. */
  report: string;
  at: number;
  /** When the task was opened again. */
  reopened: number | null;
}
