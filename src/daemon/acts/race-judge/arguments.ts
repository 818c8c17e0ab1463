import type { Candidates } from '../../../queue/race/brief.ts';

export interface JudgeArgs {
  readonly race: number;
  /** Ref of the raced task. */
  readonly task: string;
  /** The head, and its tree: the judge runs there, so that no entrant brings its own. */
  readonly commit: string;
  readonly tree: string;
  readonly run: string;
  readonly candidates: Candidates;
  /** File that gets the output. */
  readonly log: string;
}

export interface Judged {
  /** Null: it chose nobody. */
  readonly winner: number | null;
  readonly why: string;
}
