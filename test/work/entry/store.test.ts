import { describe, expect, it } from 'vitest';
import { eventsAfter } from '../../../src/journal/event.ts';
import type { Tx } from '../../../src/journal/store.ts';
import {
  addLanded,
  advanceEntry,
  aimEntries,
  approveEntry,
  noteChange,
  noteReason,
  queueAgain,
  reshaEntries,
  type Submitted,
  submitEntry,
} from '../../../src/work/entry/store.ts';
import { askedAtSubmit } from '../../../src/work/entry/submitter.ts';
import { newStore } from '../../support/store.ts';

const WORK: Submitted = {
  task: { ref: 'p/1', id: '1', title: 'Do it' },
  attempt: 1,
  agent: 'ada',
  sha: 'c0ffee00dd',
  target: 'main',
  keep: false,
  asked: { by: 'agent', rules: ['land: approve in furrow.yaml'] },
};

const rowOf = (tx: Tx, id: number) => tx.selectFrom('entry').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Runs in one transaction of a new store. */
async function inStore(work: (tx: Tx) => Promise<void>): Promise<void> {
  await using store = await newStore();
  await store.db.transaction().execute(work);
}

describe('an entry in the store', () => {
  it('is queued with who submitted it, and the log tells of it in the same transaction', async () => {
    await using store = await newStore();
    const id = await store.db.transaction().execute((tx) => submitEntry(tx, WORK, 10));
    const row = await store.db.selectFrom('entry').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ id, task: 'p/1', state: 'queued', at: 10, ended: null, approved: null, checks: null });
    expect(askedAtSubmit(row)).toEqual(WORK.asked);
    const [event] = await eventsAfter(store.db, 0);
    expect(event).toMatchObject({ kind: 'entry.submitted', task: 'p/1', attempt: 1, at: 10 });
  });

  it('ends once: what comes late changes neither its state, nor its reason, nor the time of its end', () =>
    inStore(async (tx) => {
      const id = await submitEntry(tx, WORK, 10);
      expect(await advanceEntry(tx, id, { on: 'picked' }, 15, { reason: 'under check' })).toBe(true);
      expect(await rowOf(tx, id)).toMatchObject({ state: 'checking', ended: null });
      expect(await advanceEntry(tx, id, { on: 'landed' }, 20, { reason: null, checks: 'abc' })).toBe(true);
      const landed = await rowOf(tx, id);
      expect(landed).toMatchObject({ state: 'landed', reason: null, ended: 20, checks: 'abc' });
      expect(await advanceEntry(tx, id, { on: 'cancelled' }, 30, { reason: 'taken out by you' })).toBe(false);
      await noteReason(tx, id, 'cannot be merged');
      expect(await rowOf(tx, id)).toEqual(landed);
    }));

  it('follows its commit when that is kept as another one, and the yes to the former does not count for it', () =>
    inStore(async (tx) => {
      const [id, other] = [await submitEntry(tx, WORK, 10), await submitEntry(tx, { ...WORK, sha: 'decade00' }, 11)];
      for (const one of [id, other]) await approveEntry(tx, one, 12);
      await reshaEntries(tx, WORK.sha, 'facade00');
      expect(await rowOf(tx, id)).toMatchObject({ sha: 'facade00', approved: null });
      expect(await rowOf(tx, other)).toMatchObject({ sha: 'decade00', approved: 12 });
    }));

  it('is not rejected for a red check unless it was in quarantine; a person may refuse it at any time', () =>
    inStore(async (tx) => {
      const red = await submitEntry(tx, WORK, 10);
      expect(await advanceEntry(tx, red, { on: 'rejected' }, 20, { reason: 'check is red' })).toBe(false);
      await advanceEntry(tx, red, { on: 'suspected' }, 21, { reason: 'in quarantine' });
      expect(await advanceEntry(tx, red, { on: 'rejected' }, 22, { reason: 'check is red' })).toBe(true);
      const refused = await submitEntry(tx, WORK, 10);
      expect(await advanceEntry(tx, refused, { on: 'refused' }, 23, { reason: 'not this way' })).toBe(true);
      expect([(await rowOf(tx, red)).state, (await rowOf(tx, refused)).state]).toEqual(['rejected', 'rejected']);
    }));

  it('takes a yes once, and none after its end', () =>
    inStore(async (tx) => {
      const id = await submitEntry(tx, WORK, 10);
      expect([await approveEntry(tx, id, 11), await approveEntry(tx, id, 12)]).toEqual([true, false]);
      expect((await rowOf(tx, id)).approved).toBe(11);
      const gone = await submitEntry(tx, WORK, 10);
      await advanceEntry(tx, gone, { on: 'cancelled' }, 13, { reason: 'taken out by you' });
      expect(await approveEntry(tx, gone, 14)).toBe(false);
    }));

  it('is queued again as a new entry that keeps its paths and its yes; the old one stays ended', () =>
    inStore(async (tx) => {
      const id = await submitEntry(tx, WORK, 10);
      await noteChange(tx, id, ['a.txt'], { by: 'agent', rules: [] });
      await approveEntry(tx, id, 11);
      await advanceEntry(tx, id, { on: 'landed' }, 20, { reason: null });
      const again = await queueAgain(tx, await rowOf(tx, id), 30);
      expect(again).not.toBe(id);
      expect(await rowOf(tx, again)).toMatchObject({
        state: 'queued',
        at: 30,
        ended: null,
        approved: 11,
        paths: '["a.txt"]',
        sha: WORK.sha,
      });
      expect(await rowOf(tx, id)).toMatchObject({ state: 'landed', ended: 20 });
    }));

  it('that landed before the store was lost is stored as landed, and never moves', () =>
    inStore(async (tx) => {
      const id = await addLanded(tx, { task: 'p/1', attempt: 2, agent: null, title: 't', sha: 'c', target: 'main', at: 5 });
      expect(await rowOf(tx, id)).toMatchObject({ state: 'landed', at: 5, ended: 5, after: '[]' });
      expect(await advanceEntry(tx, id, { on: 'released' }, 9, { reason: 'waits' })).toBe(false);
    }));

  it('of an earlier version gets the target in force while it is in the queue', () =>
    inStore(async (tx) => {
      const [open, gone, other] = [await submitEntry(tx, WORK, 1), await submitEntry(tx, WORK, 1), await submitEntry(tx, WORK, 1)];
      await advanceEntry(tx, gone, { on: 'cancelled' }, 2, { reason: null });
      await tx.updateTable('entry').set({ target: null }).where('id', 'in', [open, gone]).execute();
      await aimEntries(tx, 'trunk');
      expect([(await rowOf(tx, open)).target, (await rowOf(tx, gone)).target, (await rowOf(tx, other)).target]).toEqual([
        'trunk',
        null,
        'main',
      ]);
    }));
});
