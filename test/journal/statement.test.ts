import { describe, expect, it } from 'vitest';
import { change, statement } from '../../src/journal/statement.ts';
import { type Tx, writeMeta } from '../../src/journal/store.ts';
import { newStore } from '../support/store.ts';

const above = statement((db, { from, most }: { from: string; most: number }) =>
  db.selectFrom('meta').select('key').where('key', '>=', from).where('value', '!=', 'no').orderBy('key').limit(most).compile(),
);

describe('a statement that is compiled once', () => {
  it('takes the values of each call, in any store', async () => {
    await using one = await newStore();
    await using other = await newStore();
    for (const key of ['t1', 't2', 't3']) await writeMeta(one.db, key, key === 't2' ? 'no' : 'yes');
    await writeMeta(other.db, 't9', 'yes');
    const keys = async (...asked: Parameters<typeof above>) => (await above(...asked)).rows.map(({ key }) => key);
    expect(await keys(one.db, { from: 't1', most: 1 })).toEqual(['t1']);
    expect(await keys(one.db, { from: 't2', most: 9 })).toEqual(['t3']);
    expect(await keys(other.db, { from: 't1', most: 9 })).toEqual(['t9']);
  });
});

describe('a change that is compiled once for each set of columns', () => {
  const changed = change((db, columns: { readonly value?: string | undefined; readonly key?: string }, { key }: { readonly key: string }) =>
    db.updateTable('meta').set(columns).where('key', '=', key).returning(['key', 'value']).compile(),
  );
  const ask = async (...asked: Parameters<typeof changed>) => (await changed(...asked)).rows;

  it('tells a new value from the one to find the row by, and changes no column that is not given', async () => {
    await using at = await newStore();
    for (const key of ['t1', 't2']) await writeMeta(at.db, key, `of ${key}`);
    expect(await ask(at.db, { key: 't3' }, { key: 't1' })).toEqual([{ key: 't3', value: 'of t1' }]);
    expect(await ask(at.db, { value: 'x', key: 't1' }, { key: 't3' })).toEqual([{ key: 't1', value: 'x' }]);
    expect(await ask(at.db, { value: undefined, key: 't4' }, { key: 't2' })).toEqual([{ key: 't4', value: 'of t2' }]);
    expect(await ask(at.db, { key: 't5' }, { key: 'none' })).toEqual([]);
  });
});

describe('a transaction', () => {
  it('is seen by others only as a whole, and they wait for it', async () => {
    await using at = await newStore();
    let other: Promise<string[]> | undefined;
    await at.db.transaction().execute(async (tx) => {
      await writeMeta(tx, 't1', 'yes');
      other = above(at.db, { from: 't', most: 9 }).then(({ rows }) => rows.map(({ key }) => key));
      await new Promise((turn) => setImmediate(turn));
      await writeMeta(tx, 't2', 'yes');
    });
    expect(await other).toEqual(['t1', 't2']);
  });

  it('begins when the one before has ended, and runs no statement after its own end', async () => {
    await using at = await newStore();
    const order: string[] = [];
    const ended: Tx[] = [];
    const one = (name: string) =>
      at.db.transaction().execute(async (tx) => {
        order.push(`${name} begins`);
        await new Promise((turn) => setImmediate(turn));
        await writeMeta(tx, name, 'yes');
        order.push(`${name} ends`);
        ended.push(tx);
      });
    await Promise.all([one('a'), one('b')]);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    await expect(writeMeta(ended[0]!, 'late', 'yes')).rejects.toThrow(/already committed/);
  });
});
