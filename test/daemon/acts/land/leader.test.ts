import { describe, expect, it } from 'vitest';
import { land } from '../../../../src/daemon/acts/land/leader.ts';
import { landingAt } from '../../../../src/queue/landing/read.ts';
import { entriesOf } from '../../../../src/queue/landing/store.ts';
import { findEntry, openEntries } from '../../../../src/work/entry/read.ts';
import { advanceEntry } from '../../../../src/work/entry/store.ts';
import { decided } from '../../leader/decided.ts';

describe('a landing', () => {
  it('ends its entries and lands their tasks in one step, and the memory of the queue follows', async () => {
    await using at = await decided('1', '2');
    const [one, two] = [await at.submit('p/1'), await at.submit('p/2')];
    await at.landed('c1', 'p/1', 'p/2');
    expect(await openEntries(at.db)).toEqual([]);
    expect([await findEntry(at.db, one.id), await at.task('p/2')]).toMatchObject([
      { state: 'landed', ended: 1000 },
      { standing: 'landed', commit: 'c1', rework: null },
    ]);
    expect(entriesOf((await landingAt(at.db, 'c1'))!)).toEqual([one.id, two.id]);
    expect(at.memory.head).toBe('c1');
  });

  it('is not begun with an entry that has left the queue', async () => {
    await using at = await decided('1');
    const { id, task, attempt } = await at.submit('p/1');
    await at.inTx((tx) => advanceEntry(tx, id, { on: 'cancelled' }, 5, { reason: 'taken out by you' }));
    const args = { entries: [{ id, task, attempt }], steps: [], head: 'h', tree: 't', commit: 'c', unchecked: false, target: 'main' };
    await expect(at.inAct((tx, after) => land(at.farm).begin!(tx, args, 6, after))).rejects.toMatchObject({ code: 'STALE' });
  });
});
