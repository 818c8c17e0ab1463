import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Farm } from '../../src/daemon/farm/farm.ts';
import { restsUntil, startLoop } from '../../src/daemon/ticks.ts';

describe('the rest after failed ticks', () => {
  const at = 1000;
  it.each([
    [0, false, 0],
    [1, false, at + 2000],
    [2, false, at + 4000],
    [3, false, at + 8000],
    [9, false, at + 60_000],
    [9, true, at + 2000],
  ])('after %i in a row, with news %s, lasts until %i', (count, woken, until) => {
    expect(restsUntil({ count, at, woken })).toBe(until);
  });
});

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** Fifty turns of everybody else. */
const aWhile = async () => {
  for (let n = 0; n < 50; n++) await new Promise(setImmediate);
};

describe('a loop that is woken', () => {
  function loopOf(tick: () => Promise<void>) {
    const farm = { clock: { awake: () => Date.now() }, troubles: new Map(), failing: { worked: async () => {} } } as unknown as Farm;
    return startLoop(farm, tick);
  }

  it('soon, by what lets nothing begin, looks once for all of it, and not at all when something else wakes it first', async () => {
    let ticks = 0;
    const loop = loopOf(async () => void ticks++);
    for (let n = 0; n < 3; n++) loop.wake('soon');
    await aWhile();
    expect(ticks).toBe(0);
    await later(20);
    await aWhile();
    expect(ticks).toBe(1);
    loop.wake('soon');
    loop.wake();
    await aWhile();
    expect(ticks).toBe(2);
    await later(1000);
    await aWhile();
    expect(ticks).toBe(2);
    await loop.stop();
  });

  it('soon, during a look that may have missed it, looks again', async () => {
    const gate = Promise.withResolvers<void>();
    let ticks = 0;
    const loop = loopOf(() => (++ticks === 1 ? gate.promise : Promise.resolve()));
    loop.wake();
    await aWhile();
    loop.wake('soon');
    gate.resolve();
    await aWhile();
    expect(ticks).toBe(1);
    await later(20);
    await aWhile();
    expect(ticks).toBe(2);
    await loop.stop();
  });
});

describe('a loop whose tick fails', () => {
  /** A loop whose tick wakes the loop itself, and fails for as long as `world.fails`. */
  function failingLoop() {
    const world = { ticks: 0, fails: true, rests: [] as number[] };
    const farm = {
      clock: { awake: () => Date.now() },
      log: { error() {} },
      troubles: new Map(),
      failing: {
        worked: async () => {},
        failed: async (_doing: unknown, _error: Error, ms: number) => {
          world.rests.push(ms);
          return { ms, told: false };
        },
      },
    } as unknown as Farm;
    const loop = startLoop(farm, async () => {
      world.ticks++;
      loop.wake();
      if (world.fails && world.ticks < 50) throw new Error('a broken store');
    });
    return { loop, world, troubles: farm.troubles };
  }
  it('is not tried again at once, though it woke itself; then after 2, 4 and 8 s', async () => {
    const { loop, world, troubles } = failingLoop();
    loop.wake();
    await aWhile();
    expect(world.ticks).toBe(1);
    expect(troubles.get('tick')).toBe('a broken store');
    for (const [seconds, ticks] of [
      [1.9, 1],
      [0.2, 2],
      [3.7, 2],
      [0.4, 3],
    ] as const) {
      await later(seconds * 1000);
      await aWhile();
      expect(world.ticks).toBe(ticks);
    }
    expect(world.rests).toEqual([2000, 4000, 8000]);
    await loop.stop();
  });

  it('is woken out of a long rest by news, but not within 2 s of its last failure, and not by a regular look', async () => {
    const { loop, world } = failingLoop();
    loop.wake();
    await aWhile();
    for (const ms of [2001, 4001]) {
      await later(ms);
      await aWhile();
    }
    expect(world.ticks).toBe(3);
    await later(3000);
    loop.wake('regular');
    await aWhile();
    expect(world.ticks).toBe(3);
    loop.wake();
    await aWhile();
    expect(world.ticks).toBe(4);
    for (let n = 0; n < 50; n++) loop.wake();
    const looked = loop.looked();
    await aWhile();
    expect(world.ticks).toBe(4);
    world.fails = false;
    await later(2001);
    await looked;
    await loop.stop();
    expect(world.ticks).toBeGreaterThanOrEqual(5);
  });

  it('ends at once while it rests, and lets go of whoever waits', async () => {
    const { loop, world } = failingLoop();
    loop.wake();
    await aWhile();
    const looked = loop.looked();
    await loop.stop();
    await looked;
    await later(120_000);
    expect(world.ticks).toBe(1);
  });
});
