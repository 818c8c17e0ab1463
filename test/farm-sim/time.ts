import type { Clock } from '../../src/platform/clock.ts';

/** The simulated day begins here. */
const START = Date.UTC(2026, 0, 5, 8);

interface Due {
  readonly at: number;
  readonly n: number;
  readonly run: () => void | Promise<void>;
  gone: boolean;
}

/** Virtual time: nothing passes but from one thing that is due to the next. Things of one instant happen in the order they were asked for. */
export class Time {
  awake = START;
  /** What somebody has put the time of day ahead or back by. */
  #ahead = 0;
  #n = 0;
  readonly #due: Due[] = [];

  get wall(): number {
    return this.awake + this.#ahead;
  }

  jump(ms: number): void {
    this.#ahead += ms;
  }

  after(ms: number, run: Due['run']): () => void {
    const due: Due = { at: this.awake + Math.max(0, Math.round(ms)), n: this.#n++, run, gone: false };
    let [low, high] = [0, this.#due.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      // The latest first, so that the next one is taken from the end.
      if (this.#due[middle]!.at > due.at) low = middle + 1;
      else high = middle;
    }
    this.#due.splice(low, 0, due);
    return () => {
      due.gone = true;
    };
  }

  /** Goes to the next thing that is due, up to `end`; `undefined`: there is none. */
  next(end: number): Due['run'] | undefined {
    for (;;) {
      const due = this.#due.at(-1);
      if (!due || due.at > end) return undefined;
      this.#due.pop();
      if (due.gone) continue;
      this.awake = due.at;
      return due.run;
    }
  }

  /** The clock of one daemon: what it waits for ends with it. */
  clockOf(isAlive: () => boolean): Clock {
    return {
      now: () => this.wall,
      awake: () => this.awake,
      later: (ms, ring) => this.after(ms, () => (isAlive() ? ring() : undefined)),
    };
  }
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
