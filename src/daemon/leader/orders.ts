import type { LoopState } from './state.ts';

/** Orders of people to the loop, for its next looks. Calls give them; the loop's memory is the leader's to change. */
export interface Orders {
  /** Lets the state of the head be told once more, though it was told before. */
  tellHead(): void;
  /** Lets the board's files be read at the next look. */
  readBoard(): void;
  /** Ends agents that are being stopped at once, or lets them come to an end. */
  stop(atOnce: boolean): void;
  /** Has the head checked while somebody waits for it, also in a stopped farm. Answers the function that ends that. */
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
