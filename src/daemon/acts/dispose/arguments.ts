export interface DisposeArgs {
  readonly path: string;
  readonly agent: string;
}

export interface Disposed {
  readonly removed: boolean;
  readonly reason: string | null;
}

export interface DisposeFacts {
  /** The branch that the agent's last work was for. */
  readonly target: string;
}
