/** A comparison: two commits or trees, and a description of each. */
export interface Change {
  readonly shows: 'work' | 'entry' | 'landing' | 'branch';
  readonly from: string;
  readonly to: string;
  /** In one line, after the name of the subject. */
  readonly text: string;
  readonly attempt: number | null;
  readonly target: string;
  /** Not committed work is part of it. */
  readonly uncommitted: boolean;
  /** A folder of objects that `to` needs besides the repository's own. */
  readonly objects?: string | undefined;
  /** Files that are not part of it, and why. */
  readonly leftOut: readonly string[];
}
