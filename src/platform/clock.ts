/** Time in whole milliseconds. Everything that decides takes it as an argument; only the daemon owns a clock. */
export interface Clock {
  /** The time of day, which may jump: to show people, to store for readers, and to compare with times that others name. */
  now(): number;
  /**
   * Time that passes only while the machine is awake, whatever somebody does to the time of day. Every deadline, pause and silence uses it.
   * It began as the time of day when the farm first ran after the machine was started.
   */
  awake(): number;
  /** Calls back once that much of it has passed; the answer takes that back. Left out: the timers of this machine. */
  readonly later?: Later;
}

type Later = (ms: number, ring: () => void) => () => void;

const byTimer: Later = (ms, ring) => {
  const timer = setTimeout(ring, Math.min(ms, TIMER_MS)).unref();
  return () => clearTimeout(timer);
};

export const laterBy = ({ later = byTimer }: Pick<Clock, 'later'>): Later => later;

/** A time of day that was named by somebody else, as `awake` time. */
export const toAwake = (clock: Clock, wall: number) => wall - clock.now() + clock.awake();
/** An `awake` time, as a person would read it on a watch now. */
export const toWall = (clock: Clock, awake: number) => awake - clock.awake() + clock.now();

const two = (n: number) => String(n).padStart(2, '0');

/** A time of day as a person reads it on a watch, `14:03:20`; of another day with its date. */
export function watchTime(wall: number, now: number): string {
  const at = new Date(wall);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  const sameDay = new Date(now).toDateString() === at.toDateString();
  return sameDay ? time : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

/** The start of `awake` time. The store keeps it, so that a deadline means the same to the next daemon. */
export interface Scale {
  /** Names one start of the machine. After a new start no earlier process is left that could miss a deadline. */
  readonly boot: string;
  /** To be added to the milliseconds of the monotonic clock. */
  readonly base: number;
}

export function scaleFor(stored: Scale | undefined, boot: string, wall: number, monotonic: number): Scale {
  return stored !== undefined && boot !== '' && stored.boot === boot ? stored : { boot, base: wall - monotonic };
}

/** CLOCK_MONOTONIC on Linux: it stops in suspend, and is the same for all processes since the start of the machine. */
export const monotonicMs = () => Number(process.hrtime.bigint() / 1_000_000n);

export const clockOn = ({ base }: Pick<Scale, 'base'>): Clock => ({ now: () => Date.now(), awake: () => monotonicMs() + base });

/** The longest that a timer can wait, 24.8 days: node fires a longer one at once. */
export const TIMER_MS = 2 ** 31 - 1;
