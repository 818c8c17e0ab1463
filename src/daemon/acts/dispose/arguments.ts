export interface DisposeArgs {
  readonly path: string;
  readonly agent: string;
}

export interface Disposed {
  readonly removed: boolean;
  readonly reason: string | null;
}
