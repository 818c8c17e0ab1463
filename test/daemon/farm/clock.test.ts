import { expect, it } from 'vitest';
import { wakeAt } from '../../../src/daemon/farm/alarm.ts';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import { clockOn, monotonicMs, scaleFor, toAwake, toWall } from '../../../src/platform/clock.ts';
import { bootId } from '../../../src/platform/process/boot-id.ts';

it('awake time goes on where it was for the next daemon, and begins anew when the machine was started again', () => {
  const first = scaleFor(undefined, 'boot-1', 1_700_000_000_000, 5000);
  expect(first.base + 5000).toBe(1_700_000_000_000);
  // The time of day has jumped by eight hours since: awake time has not.
  expect(scaleFor(first, 'boot-1', 1_700_000_000_000 + 8 * 3_600_000, 6000)).toEqual(first);
  expect(scaleFor(first, 'boot-2', 1_700_000_100_000, 10)).toEqual({ boot: 'boot-2', base: 1_700_000_100_000 - 10 });
  expect(scaleFor({ ...first, boot: '' }, '', 1_700_000_100_000, 10).base).toBe(1_700_000_100_000 - 10);
});

it('times of day and awake times are converted by how they stand to each other now', () => {
  const clock = { now: () => 10_000, awake: () => 4_000 };
  expect([toAwake(clock, 11_000), toWall(clock, 5_000)]).toEqual([5_000, 11_000]);
});

it('the system says which start of the machine this is, and the clock runs on its monotonic time', async () => {
  expect(await bootId()).toMatch(/^[0-9a-f-]{36}$/i);
  const before = monotonicMs();
  expect(clockOn({ base: 1000 }).awake()).toBeGreaterThanOrEqual(before + 1000);
});

it('the alarm rings by awake time', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const farm = { clock: { now: () => 8 * 3_600_000, awake: () => 1000 }, alarm: {}, wake: resolve } as unknown as Farm;
  wakeAt(farm, 1005);
  await promise;
});

it('the alarm of one farm does not keep another from ringing', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const clock = { now: () => 0, awake: () => 1000 };
  const rings: string[] = [];
  const farm = (name: string, rung: () => void) => {
    const wake = () => {
      rings.push(name);
      rung();
    };
    return { clock, alarm: {}, wake } as unknown as Farm;
  };
  wakeAt(
    farm('one', () => {}),
    1002,
  );
  wakeAt(farm('other', resolve), 1050);
  await promise;
  expect(rings).toEqual(['one', 'other']);
});
