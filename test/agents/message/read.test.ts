import { CompiledQuery, type KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import {
  asksBy,
  asksFrom,
  asksTo,
  findMessage,
  firstFor,
  firstOpen,
  gotWords,
  openAsks,
  pendingFor,
  sentAs,
  waitingFor,
} from '../../../src/agents/message/read.ts';
import type { Db } from '../../../src/journal/store.ts';
import { onPostgres } from '../../support/engines.ts';
import { newStore } from '../../support/store.ts';

/** How SQLite answers each question that is asked of `db` in `ask`. */
async function plansOf(db: Db, ask: (db: Db) => Promise<unknown>): Promise<string[]> {
  const asked: CompiledQuery[] = [];
  const spy: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      asked.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await ask(db.withPlugin(spy));
  const explained = asked.map(({ sql, parameters }) =>
    db.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])),
  );
  return (await Promise.all(explained)).flatMap(({ rows }) => rows.map(({ detail }) => detail));
}

const QUESTIONS: Record<string, (db: Db) => Promise<unknown>> = {
  pendingFor: (db) => pendingFor(db, ['ada', 'bob']),
  firstFor: (db) => firstFor(db, 'ada', 10),
  firstOpen: (db) => firstOpen(db),
  'firstOpen of some': (db) => firstOpen(db, ['ada', 'bob']),
  findMessage: (db) => findMessage(db, 1),
  sentAs: (db) => sentAs(db, 'ada', 'bob', 'key'),
  openAsks: (db) => openAsks(db),
  asksTo: (db) => asksTo(db, 'ada', 1),
  asksFrom: (db) => asksFrom(db, 'ada'),
  asksBy: (db) => asksBy(db, 1),
  gotWords: (db) => gotWords(db, 'ada', 'words', 0),
  waitingFor: (db) => waitingFor(db, 'ada'),
};

// Only SQLite tells its plan in these words.
it.skipIf(onPostgres()).each(Object.entries(QUESTIONS))('%s reads no message that is over', async (_, ask) => {
  await using at = await newStore();
  const reads = (await plansOf(at.db, ask)).filter((plan) => /^(SCAN|SEARCH) message/.test(plan));
  expect(reads.length).toBeGreaterThan(0);
  for (const plan of reads)
    expect(plan).toMatch(/USING (COVERING )?INDEX message_(open|asked|asks|sent|words)\b|USING INTEGER PRIMARY KEY/);
});
