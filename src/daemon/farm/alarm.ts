import { type Clock, laterBy } from '../../platform/clock.ts';

/** The one timer of a farm, and the `awake` time at which it rings. */
export interface Alarm {
  set?: { readonly at: number; readonly cancel: () => void } | undefined;
}

/** Something that looks again when asked, or at a time. */
export interface Waking {
  readonly clock: Pick<Clock, 'awake' | 'later'>;
  readonly alarm: Alarm;
  wake(): void;
}

/**
 * Wakes the loop at the earliest `awake` time at which a decision can change without an event. The caller converts a time of day; when that
 * jumps, the look every ten seconds makes up for it.
 */
export function wakeAt(farm: Waking, at: number): void {
  const { alarm } = farm;
  const now = farm.clock.awake();
  if (alarm.set && alarm.set.at <= at && alarm.set.at > now) return;
  alarm.set?.cancel();
  const cancel = laterBy(farm.clock)(Math.max(1, at - now), () => {
    alarm.set = undefined;
    farm.wake();
  });
  alarm.set = { at, cancel };
}
