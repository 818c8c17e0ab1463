import type { Lesson } from '../../../repo/merge/mend/learn.ts';

export interface LandArgs {
  readonly entries: readonly { readonly id: number; readonly task: string; readonly attempt: number }[];
  /** The state after each of them, the last being that of the landing. */
  readonly steps: readonly { readonly entry: number; readonly commit: string; readonly tree: string }[];
  readonly head: string;
  readonly tree: string;
  readonly commit: string;
  readonly unchecked: boolean;
  /** The branch of all its entries. Missing in an intent of an earlier version. */
  readonly target?: string;
  /** Hash of the checks that it passed. Missing in an intent of an earlier version. */
  readonly checks?: string;
  /** Names of checks that did not run for it: nothing in their paths changed, so what they said before holds. */
  readonly unchanged?: readonly string[];
  /** Conflicts that the entries were handed back for. Missing in an intent of an earlier version. */
  readonly lessons?: readonly Lesson[];
}

export interface Landed {
  readonly landed: boolean;
  /** The checks are others than it was decided under, so it was not done. */
  readonly dropped?: boolean;
}

export interface LandFacts {
  /** The checks in force are those that it passed. */
  readonly judged: boolean;
}
