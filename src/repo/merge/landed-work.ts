import type { WorkCommit } from './commit-facts.ts';

/** An entry as the trailers of a landing name it. */
export interface NamedEntry {
  /** `phase/id`. */
  readonly task: string;
  readonly attempt: number;
  /** Null: a person submitted it, or it is a revert of furrow's. */
  readonly agent: string | null;
  /** The outcome of its review, as the trailer says it. */
  readonly review?: string | undefined;
}

/** The facts about one entry that the message of a landing contains. */
export interface LandedEntry extends NamedEntry {
  readonly title: string;
  /** The agent's own summary. */
  readonly summary?: string | null;
  readonly tags?: readonly string[];
}

/** An entry with the commits that it brings. */
export interface LandedWork extends LandedEntry {
  /** Oldest first, without merges. */
  readonly commits: readonly WorkCommit[];
  /** Its commits stay in the history behind the landing. */
  readonly keep: boolean;
  /** Other entries that its commits contain and that have not landed: they land with it. */
  readonly carries?: readonly NamedEntry[];
  /** The paths that it changes, if the template uses them. */
  readonly paths?: readonly string[];
}
