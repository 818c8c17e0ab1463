import { describe, expect, it } from 'vitest';
import type { Tx } from '../../../src/journal/store.ts';
import { addLanding, advanceLanding, entriesOf, forgetLanding } from '../../../src/queue/landing/store.ts';
import { newStore } from '../../support/store.ts';

const LANDING = {
  target: 'main',
  tree: 't',
  parent: 'p',
  at: 5,
  entries: [2, 1],
  steps: [{ entry: 2, commit: 'a', tree: 't' }],
  checks: null,
  published: null,
};

const rows = (tx: Tx) => tx.selectFrom('landing').selectAll().orderBy('id').execute();

describe('a landing in the store', () => {
  it('keeps its entries in the order they were stacked in', async () => {
    await using store = await newStore();
    await store.db.transaction().execute(async (tx) => {
      await addLanding(tx, { ...LANDING, commit: 'a' });
      const [row] = await rows(tx);
      expect(row).toMatchObject({ commit: 'a', published: null, removed: null, checks: null });
      expect(entriesOf(row!)).toEqual([2, 1]);
    });
  });

  it('is published, removed and restored alone; an event that does not apply answers undefined', async () => {
    await using store = await newStore();
    await store.db.transaction().execute(async (tx) => {
      await addLanding(tx, { ...LANDING, commit: 'a' });
      await addLanding(tx, { ...LANDING, commit: 'b' });
      const [first, second] = await rows(tx);
      expect(await advanceLanding(tx, first!.id, { on: 'published', at: 7 })).toMatchObject({ commit: 'a', published: 7 });
      expect(await advanceLanding(tx, first!.id, { on: 'published', at: 8 })).toBeUndefined();
      expect(await advanceLanding(tx, first!.id, { on: 'removed', at: 9 })).toMatchObject({ published: 7, removed: 9 });
      expect(await advanceLanding(tx, first!.id, { on: 'restored' })).toMatchObject({ published: 7, removed: null });
      expect(await advanceLanding(tx, 99, { on: 'restored' })).toBeUndefined();
      expect((await rows(tx))[1]).toEqual(second);
    });
  });

  it('that never reached its target is forgotten', async () => {
    await using store = await newStore();
    await store.db.transaction().execute(async (tx) => {
      await addLanding(tx, { ...LANDING, commit: 'a' });
      await addLanding(tx, { ...LANDING, commit: 'b' });
      await forgetLanding(tx, (await rows(tx))[0]!.id);
      expect((await rows(tx)).map(({ commit }) => commit)).toEqual(['b']);
    });
  });
});
