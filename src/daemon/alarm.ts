import { TIMER_MS } from '../platform/clock.ts';
import type { Farm } from './farm.ts';

let alarm: { at: number; timer: NodeJS.Timeout } | undefined;

/**
 * One timer for the whole daemon: the earliest `awake` time at which a decision can change without an event. A time of day
 * is converted by the caller; when the time of day jumps, the look that comes every ten seconds makes up for it.
 */
export function wakeAt(farm: Pick<Farm, 'clock' | 'wake'>, at: number): void {
  const now = farm.clock.awake();
  if (alarm && alarm.at <= at && alarm.at > now) return;
  clearTimeout(alarm?.timer);
  const timer = setTimeout(
    () => {
      alarm = undefined;
      farm.wake();
    },
    Math.min(Math.max(1, at - now), TIMER_MS),
  );
  timer.unref();
  alarm = { at, timer };
}
