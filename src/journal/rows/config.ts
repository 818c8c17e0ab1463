import type { Generated } from 'kysely';

/** A configuration that came into force; the newest row is the one the farm works by. */
export interface ConfigVersionRow {
  id: Generated<number>;
  at: number;
  /** Where the text was read: the commit on the target, the file in the main worktree, or no file at all. */
  source: 'target' | 'checkout' | 'defaults';
  /** The commit on the target that the text is from. */
  commit: string | null;
  /** sha256 of the text. */
  hash: string;
  text: string;
  /** JSON array of the ids of its checks. */
  checks: string;
}
