export interface StartArgs {
  readonly task: string;
  readonly agent: string;
  readonly n: number;
  readonly kind: string;
  /** Commit the work is based on: the verified head at the time of the decision. */
  readonly base: string;
  readonly branch: string;
  /** The branch its work is for. Missing in an intent of an earlier version. */
  readonly target?: string;
}

export interface Started {
  readonly pid: number;
  /** Empty when it had already ended before it could be looked at. */
  readonly start: string;
  readonly rescued: string | null;
}
