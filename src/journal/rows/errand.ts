/** Something that the farm itself asks an agent to do. Its row in `task` has its standing; this row has its subject and its answer. */
export interface ErrandRow {
  /** The ref of its row in `task`. */
  ref: string;
  /** The task that it is about; null when it is about none. */
  about: string | null;
  /** The text that the agent is told; null: the text of the task that it is about. */
  brief: string | null;
  /** The commit that its worktree starts from; null: the head of the target. */
  base: string | null;
  /** The agent's answer; null before there is one. */
  result: string | null;
}
