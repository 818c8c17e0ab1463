import type { Generated } from 'kysely';

/**
 * `asked`: a reviewer has to answer. `approved`, `findings` and `unreadable` are answers; `overruled`: a person decided instead. `dropped`:
 * nobody needs it any more.
 */
export type ReviewState = 'asked' | 'approved' | 'findings' | 'unreadable' | 'overruled' | 'dropped';

export interface ReviewRow {
  id: Generated<number>;
  /** Ref of the task, or of the branch, whose work it is about. */
  task: string;
  /** The commit that it is about; it holds for no other. */
  sha: string;
  /** Counts the reviews of the task's work since it last landed; an answer that could not be read does not count. */
  round: number;
  state: ReviewState;
  /** The kind of agent that was asked. */
  kind: string;
  /** Ref of its errand; null: a person decided before anybody was asked. */
  errand: string | null;
  /** The agent that answered, or the person who overruled it. */
  reviewer: string | null;
  /** 1: `furrow review` asked for it, not a rule. */
  requested: Generated<number>;
  /** 1: its reviewer was told that an answer could not be read. */
  told: Generated<number>;
  summary: string | null;
  /** JSON array of findings. */
  findings: Generated<string>;
  at: number;
  ended: number | null;
}
