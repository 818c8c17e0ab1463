export interface PushArgs {
  readonly remote: string;
  /** A landing that the user's branch has. */
  readonly commit: string;
  /** Where our last push left the remote's branch. */
  readonly expected: string | null;
  /** Missing in an intent of an earlier version. */
  readonly target?: string;
}
