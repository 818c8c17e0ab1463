/**
 * The ages that one frame shows. It remembers when the first of them will read otherwise, so that a frame is drawn again then and
 * not before: a screen on which nothing is younger than a minute is left alone for a minute.
 */
export class Ages {
  readonly now: number;
  #next = Number.POSITIVE_INFINITY;

  constructor(now: number) {
    this.now = now;
  }

  /** The time since then, in its largest unit. */
  since(time: string): string {
    return this.#span(this.now - Date.parse(time), 1);
  }

  /** The time until then; an empty text once it has passed. */
  until(time: string): string {
    return this.#span(Date.parse(time) - this.now, -1);
  }

  /** Now, in steps of so many milliseconds: for pictures of time. */
  step(ms: number): number {
    const at = Math.floor(this.now / ms) * ms;
    this.#next = Math.min(this.#next, at + ms);
    return at;
  }

  /** When the frame has to be drawn again, if nothing else happens. */
  get next(): number {
    return this.#next;
  }

  #span(ms: number, way: 1 | -1): string {
    const passed = Math.max(0, Number.isFinite(ms) ? ms : 0);
    const unit = passed < MINUTE ? SECOND : MINUTE;
    // An age grows to the next full unit, a time that is left shrinks below this one.
    const change = way === 1 ? unit - (passed % unit) : (passed % unit) + 1;
    if (way === 1 || passed > 0) this.#next = Math.min(this.#next, this.now + change);
    return spanOf(passed);
  }
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Seconds below a minute, then minutes, hours and minutes, days and hours. */
function spanOf(ms: number): string {
  const seconds = Math.floor(ms / SECOND);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h${String(minutes % 60).padStart(2, '0')}m`;
  return `${Math.floor(hours / 24)}d${hours % 24}h`;
}
