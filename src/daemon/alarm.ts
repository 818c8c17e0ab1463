import { TIMER_MS } from '../platform/clock.ts';
import type { Farm } from './farm.ts';

let alarm: { at: number; timer: NodeJS.Timeout } | undefined;

/** One timer for the whole daemon: the earliest time at which a decision can change without an event. */
export function wakeAt(farm: Farm, at: number): void {
  if (alarm && alarm.at <= at && alarm.at > farm.clock.now()) return;
  clearTimeout(alarm?.timer);
  const timer = setTimeout(
    () => {
      alarm = undefined;
      farm.wake();
    },
    Math.min(Math.max(1, at - farm.clock.now()), TIMER_MS),
  );
  timer.unref();
  alarm = { at, timer };
}
