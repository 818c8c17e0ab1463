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

export interface PublishFacts {
  /** Landings that wait to be published: one chain, oldest first. */
  readonly waiting: readonly { readonly id: number; readonly commit: string }[];
  /** The worktrees that are furrow's own, and whether somebody works there now. */
  readonly kept: Kept;
}

export interface Kept {
  readonly agents: readonly { readonly name: string; readonly worktree: string; readonly busy: boolean }[];
  /** A check runs. */
  readonly checking: boolean;
}
