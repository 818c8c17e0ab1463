import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { commitTogether } from '../../src/journal/commit-together.ts';
import { append } from '../../src/journal/event.ts';
import type { Db, Tx } from '../../src/journal/store.ts';
import { newStore } from '../support/store.ts';

const note = (text: string) => (tx: Tx) => append(tx, { kind: 'agent.progress', text }, 1);
const texts = async (db: Db) =>
  (await db.selectFrom('event').selectAll().orderBy('seq').execute()).map((row) => (JSON.parse(row.data) as { text: string }).text);

it('transactions that are asked for at once share a commit, ten at a time and in their order', async () => {
  await using store = await newStore();
  const { db } = store;
  const inside: Tx[] = [];
  const words = Array.from({ length: 20 }, (_, n) => `word ${n}`);
  await Promise.all(
    words.map((word) =>
      commitTogether(db, (tx) => {
        inside.push(tx);
        return note(word)(tx);
      }),
    ),
  );
  expect(await texts(db)).toEqual(words);
  expect(new Set(inside).size).toBe(2);
});

it('one that fails takes back what it wrote, and nothing of the others', async () => {
  await using store = await newStore();
  const { db } = store;
  const refused = async (tx: Tx) => {
    await note('half of it')(tx);
    throw new Error('refused');
  };
  const ends = await Promise.allSettled([commitTogether(db, note('a')), commitTogether(db, refused), commitTogether(db, note('b'))]);
  expect(ends.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await texts(db)).toEqual(['a', 'b']);
  // Alone it is the same.
  await expect(commitTogether(db, refused)).rejects.toThrow('refused');
  expect(await texts(db)).toEqual(['a', 'b']);
});

it('when the transaction itself is lost, as on a full disk, nobody is told that theirs is stored', async () => {
  await using store = await newStore();
  const { db } = store;
  const lost = async (tx: Tx) => {
    await sql`rollback`.execute(tx);
    throw new Error('the disk is full');
  };
  const ends = await Promise.allSettled([commitTogether(db, note('a')), commitTogether(db, lost), commitTogether(db, note('b'))]);
  expect(ends.map((one) => one.status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await texts(db)).toEqual([]);
  await commitTogether(db, note('later'));
  expect(await texts(db)).toEqual(['later']);
});
