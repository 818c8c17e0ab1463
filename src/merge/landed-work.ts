import type { WorkCommit } from './facts.ts';

/** The facts about one entry that the message of a landing tells. */
export interface LandedEntry {
  /** `phase/id`. */
  readonly task: string;
  readonly attempt: number;
  /** Null: a person submitted it, or it is a revert of furrow's. */
  readonly agent: string | null;
  readonly title: string;
  /** The agent's own summary. */
  readonly summary?: string | null;
  readonly tags?: readonly string[];
}

/** An entry with the commits that it brings. */
export interface LandedWork extends LandedEntry {
  /** Oldest first, without merges. */
  readonly commits: readonly WorkCommit[];
  /** They stay behind the landing. */
  readonly keep: boolean;
  /** The paths that it changes, where the template wants to know. */
  readonly paths?: readonly string[];
}
