import type { Client } from '../../api/client.ts';

/** The command line as `furrow top` uses it, which is a program of its own and imports nothing of it. */
export interface TopDoor {
  /** A connection that waits for the daemon when it is gone, and starts none. */
  connect(onLost: () => void): Promise<Client>;
  /** No daemon is waited for any more. */
  close(): void;
  /** Runs a command of furrow on the terminal, which is free then. `shows`: what it prints is shown until the person goes on. */
  run(words: readonly string[], shows: boolean): Promise<number>;
  readonly mouse: boolean;
  readonly colours: boolean;
}

/** The one export of the program. */
export interface TopProgram {
  top(door: TopDoor): Promise<number>;
}
