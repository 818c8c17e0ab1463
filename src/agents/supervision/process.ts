/** One look at a live attempt: at the exit folder, the process table and its terminal. */
export interface SeenProcess {
  readonly id: number;
  readonly agent: string;
  readonly state: 'starting' | 'running';
  readonly exited: boolean;
  /** `undefined`: could not be told, which is no reason to act. */
  readonly alive: boolean | undefined;
  /** The terminal it was started in is gone, although the process may live on without one. */
  readonly orphaned: boolean;
  readonly deadline: number | null;
  /** When it said `furrow done` or `furrow blocked`, if it did. */
  readonly saidAt: number | null;
}

/** `unknown`: the process table could not be read, which says nothing about the agent. */
export type ProcessLook = 'alive' | 'dead' | 'unknown';

/** A process without its terminal counts as dead: nobody can reach it any more. */
export function processLook({ exited, alive, orphaned }: Pick<SeenProcess, 'exited' | 'alive' | 'orphaned'>): ProcessLook {
  if (exited || alive === false || orphaned) return 'dead';
  return alive === undefined ? 'unknown' : 'alive';
}
