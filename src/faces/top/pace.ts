/** A person sees no more than this; a farm of 100 agents changes more often. */
const FRAME_MS = 100;
/** Ages move on once a second at most. */
const AGE_MS = 1000;

/** Draws soon after something changed, never twice within a tenth of a second, and never while nothing changes. */
export class Pace {
  readonly #draw: () => number;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /** `draw` answers when the picture changes by the clock alone. */
  constructor(draw: () => number) {
    this.#draw = draw;
  }

  /** Something changed. */
  ask(now = Date.now()): void {
    this.#plan(Math.max(now, this.#last + FRAME_MS), now);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = Number.POSITIVE_INFINITY;
  }

  #plan(at: number, now: number): void {
    if (at >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = at;
    this.#timer = setTimeout(() => this.#fire(), Math.min(Math.max(0, at - now), MOST_MS));
  }

  #fire(): void {
    this.stop();
    this.#last = Date.now();
    const next = this.#draw();
    if (Number.isFinite(next)) this.#plan(Math.max(next, this.#last + AGE_MS), this.#last);
  }
}

/** Longer timers would fire at once. */
const MOST_MS = 2 ** 31 - 1;
