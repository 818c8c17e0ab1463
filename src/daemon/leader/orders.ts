import type { LoopState } from './state.ts';

/** Orders of people to the loop, for its next looks. Calls give them, because only the leader may change the loop's memory. */
export interface Orders {
  /** Reports the state of the head again, even if it was told before. */
  tellHead(): void;
  /** Reads the board's files at the next look. */
  readBoard(): void;
  /** Ends agents that are being stopped: at once, or after their current work. */
  stop(atOnce: boolean): void;
  /** Checks the head while somebody waits for it, even in a stopped farm. Returns the function that ends that. */
  checkHead(): () => void;
}

export const ordersTo = (state: LoopState): Orders => ({
  tellHead() {
    state.preflightTold = 0;
  },
  readBoard() {
    state.boardDirty = true;
  },
  stop(atOnce) {
    state.stopNow = atOnce;
  },
  checkHead() {
    state.queue.asked++;
    return () => void state.queue.asked--;
  },
});
