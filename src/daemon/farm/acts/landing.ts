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

/** From where to where the target moves. Both the same: a checkout that lags behind it is brought along. */
export interface PublishArgs {
  readonly old: string;
  readonly new: string;
  /** Missing in an intent of an earlier version. */
  readonly target?: string;
}

export interface Published {
  readonly published: boolean;
  readonly reason: string | null;
  /** Landings, by id, that the target has by it. Missing in a result of an earlier version. */
  readonly landings?: readonly number[];
  /** Large files that were written as pointers, because their content is not on this machine. */
  readonly pointers?: readonly string[];
  /** The owner of the worktree in the way, if it is not the user's. */
  readonly keeper?: { readonly name: string; readonly agent?: string };
}

export interface PushArgs {
  readonly remote: string;
  /** A landing that the user's branch has. */
  readonly commit: string;
  /** Where our last push left the remote's branch. */
  readonly expected: string | null;
  /** Missing in an intent of an earlier version. */
  readonly target?: string;
}
