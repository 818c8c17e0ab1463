import { expect, it } from 'vitest';
import { advanceAllWork, advanceWork, allWork, clearPreflight, findWork, openWork, orderWork } from '../../src/work/store.ts';
import { newStore } from '../support/store.ts';

const ORDER = { parallel: 2, kind: null, until: 'empty', fresh: 0, preflight: 'wanted' } as const;

it('a second order for a phase replaces the first, and an end decided for the first changes nothing', async () => {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    await orderWork(tx, { ...ORDER, phase: 'p' }, 10);
    const seen = (await findWork(tx, 'p'))!;
    await orderWork(tx, { ...ORDER, phase: 'p', parallel: 5 }, 20);
    expect(await advanceWork(tx, 'p', { on: 'ended', seen })).toBe(false);
    expect(await allWork(tx)).toMatchObject([{ phase: 'p', state: 'active', parallel: 5, at: 20 }]);
    expect(await advanceWork(tx, 'p', { on: 'ended', seen: (await findWork(tx, 'p'))! })).toBe(true);
    expect([await openWork(tx), await advanceWork(tx, 'nobody', { on: 'stop' })]).toEqual([[], false]);
  });
});

it('a stop takes all work that is active, and what has ended stays so', async () => {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    for (const phase of ['b', 'a', 'c']) await orderWork(tx, { ...ORDER, phase }, 10);
    await advanceWork(tx, 'c', { on: 'left' });
    await advanceAllWork(tx, { on: 'stop' });
    const states = (await allWork(tx)).map(({ phase, state }) => `${phase} ${state}`);
    expect(states).toEqual(['a stopping', 'b stopping', 'c ended']);
    await advanceWork(tx, 'a', { on: 'resumed' });
    expect((await findWork(tx, 'a'))?.state).toBe('active');
  });
});

it('no work waits for the preflight once it has passed', async () => {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    await orderWork(tx, { ...ORDER, phase: 'p' }, 10);
    expect((await findWork(tx, 'p'))?.preflight).toBe('wanted');
    await clearPreflight(tx);
    expect((await findWork(tx, 'p'))?.preflight).toBeNull();
  });
});
