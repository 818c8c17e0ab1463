import { describe, expect, it } from 'vitest';
import { emptySupervision, type Supervision } from '../../../src/agents/supervision/record.ts';
import {
  advanceSupervision,
  beginSupervision,
  supervisionOf,
  supervisionsOf,
  writeSupervision,
} from '../../../src/agents/supervision/store.ts';
import { newStore } from '../../support/store.ts';

const clock = { now: () => 5_000, awake: () => 100 };
const started = { on: 'process-starts', sameConversation: false, at: 200 } as const;

/** Every part has something in it. */
const full: Supervision = {
  signals: { startedAt: 1, lastAt: 2, open: [], turnOpen: true, turns: 3, session: 's', transcriptPath: '/t' },
  turn: { do: 'question', reason: 'lost', at: 7, last: 'hm' },
  ended: { at: 9, halted: true },
  interventions: { ...emptySupervision(0).interventions, looks: 2, lookedAt: 8, askedFor: 'stuck', askedAt: 8 },
};

describe('the record of an attempt', () => {
  it('is read as it was written', async () => {
    await using store = await newStore();
    await store.db.transaction().execute((tx) => writeSupervision(tx, 7, full, 1));
    expect(await supervisionOf(store.db, 7)).toEqual(full);
    const silent = emptySupervision(3);
    await store.db.transaction().execute((tx) => writeSupervision(tx, 7, silent, 2));
    expect(await supervisionOf(store.db, 7)).toEqual(silent);
  });

  it('begins empty, and does not begin again over what an agent was fast enough to say', async () => {
    await using store = await newStore();
    await store.db.transaction().execute((tx) => beginSupervision(tx, 7, clock));
    expect(await supervisionOf(store.db, 7)).toEqual(emptySupervision(100));
    await store.db.transaction().execute((tx) => writeSupervision(tx, 8, full, 1));
    await store.db.transaction().execute((tx) => beginSupervision(tx, 8, clock));
    expect(await supervisionOf(store.db, 8)).toEqual(full);
  });

  it('moves by a step that applies; without a record nothing is stored', async () => {
    await using store = await newStore();
    await store.db.transaction().execute((tx) => writeSupervision(tx, 7, full, 1));
    const next = await store.db.transaction().execute((tx) => advanceSupervision(tx, 7, started, 2));
    expect(next).toMatchObject({ turn: null, ended: null, interventions: { looks: 2 } });
    expect(await supervisionOf(store.db, 7)).toEqual(next);
    expect(await store.db.transaction().execute((tx) => advanceSupervision(tx, 8, started, 2))).toBeUndefined();
    expect(await supervisionOf(store.db, 8)).toBeUndefined();
  });

  it('that an earlier version wrote is read: its signals hold the conversation, too, and fewer interventions', async () => {
    await using store = await newStore();
    const { session, ...rest } = full.signals;
    const row = { signals: JSON.stringify({ ...rest, session: 'old' }), turn: null, care: '{"nudges":1}', at: 1 };
    await store.db
      .insertInto('heard')
      .values({ attempt: 7, session: session!, ...row })
      .execute();
    await store.db
      .insertInto('heard')
      .values({ attempt: 8, session: null, ...row })
      .execute();
    expect(await supervisionOf(store.db, 7)).toMatchObject({
      signals: { session: 's' },
      ended: null,
      interventions: { nudges: 1, looks: 0 },
    });
    expect((await supervisionOf(store.db, 8))?.signals.session).toBeUndefined();
  });

  it('that cannot be read hides no other', async () => {
    await using store = await newStore();
    await store.db.transaction().execute((tx) => writeSupervision(tx, 7, full, 1));
    await store.db.insertInto('heard').values({ attempt: 8, session: null, signals: '{', turn: null, care: '{}', at: 1 }).execute();
    const unreadable: number[] = [];
    const found = await supervisionsOf(store.db, [7, 8, 9], (attempt) => void unreadable.push(attempt));
    expect([[...found.keys()], unreadable]).toEqual([[7], [8]]);
  });
});
