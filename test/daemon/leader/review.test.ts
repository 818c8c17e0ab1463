import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { checksInForce, land } from '../../../src/daemon/acts/land/leader.ts';
import { overrule, sendBack } from '../../../src/daemon/leader/review/decide.ts';
import { driveReviews } from '../../../src/daemon/leader/review/drive.ts';
import { reviewOf, reviewWaits } from '../../../src/daemon/leader/review/read.ts';
import { addReview } from '../../../src/queue/review/store.ts';
import type { QueueSnapshot } from '../../../src/queue/snapshot.ts';
import { noteWord } from '../../../src/work/attempt/store.ts';
import { findEntry, openEntryOf } from '../../../src/work/entry/read.ts';
import { noteChange } from '../../../src/work/entry/store.ts';
import { beginErrand, errandOf } from '../../../src/work/errand/store.ts';
import { reworkOf } from '../../../src/work/task/rework.ts';
import { noteFile } from '../../../src/work/task/store.ts';
import { decided } from './decided.ts';

/** Nothing is asked for here: that needs git. */
const NO_QUEUE = {} as QueueSnapshot;
const log = { warn: (what: object, text: string) => expect.fail(`${text}: ${JSON.stringify(what)}`) };

/** The task p/1 with an entry whose review was asked for, and the errand of it. */
async function asked(yaml = 'attempts: 3\n') {
  const at = await decided('1');
  Object.assign(at.farm, { config: parseConfig(yaml, 'furrow.yaml'), log });
  const ask = async (round: number) => {
    const entry = await at.submit('p/1');
    await noteChange(at.db, entry.id, ['a.ts'], { by: 'agent', rules: [], found: [] });
    const errand = await at.inTx(async (tx) => {
      await noteFile(tx, 'p/1', { review: 1 });
      const ref = await beginErrand(
        tx,
        { purpose: 'review', about: 'p/1', phase: 'p', kind: 'codex', title: 'review 1', brief: 'look', base: entry.sha, notBy: 'ada' },
        1,
      );
      await addReview(tx, { task: 'p/1', sha: entry.sha, round, kind: 'codex', errand: ref, requested: false }, at.time.now);
      return ref;
    });
    return { entry, errand };
  };
  /** Its agent answers; then the reviews are looked at until nothing moves. */
  const answer = async (errand: string, result: string) => {
    const id = await at.start(errand);
    await at.inTx((tx) => noteWord(tx, id, { done: '', result }, at.time.now));
    await at.end(id, { outcome: 'answered', reason: 'it gave its answer', sha: null, kept: null });
    let looks = 0;
    while (await driveReviews(at.farm, NO_QUEUE)) expect(looks++).toBeLessThan(5);
  };
  const mayLand = async () => {
    const entry = (await openEntryOf(at.db, 'p/1'))!;
    const checks = await checksInForce(at.db, ['p/1']);
    const args = { entries: [entry], steps: [], head: 'h', tree: 't', commit: 'c', unchecked: false, target: 'main', checks };
    return at
      .inAct((tx, after) => land(at.farm).begin!(tx, args, 0, after))
      .then(
        () => true,
        (error: Error) => error.message,
      );
  };
  return { ...at, ask, answer, mayLand };
}

describe('work under review', () => {
  it('does not land before its reviewer approves, and does after', async () => {
    await using at = await asked();
    const { entry, errand } = await at.ask(1);
    expect([...(await reviewWaits(at.farm, at.db)).keys()]).toEqual([entry.id]);
    expect(await at.mayLand()).toBe('p/1 waits for a review');
    await at.answer(errand, 'APPROVE');
    expect([await reviewWaits(at.farm, at.db), await at.mayLand()]).toEqual([new Map(), true]);
  });

  it('goes back with findings from the submitted commits, and that is no failure of it', async () => {
    await using at = await asked();
    const { entry, errand } = await at.ask(1);
    await at.answer(errand, 'FINDINGS:\n- no test');
    const task = await at.task('p/1');
    expect([await findEntry(at.db, entry.id), task]).toMatchObject([{ state: 'rejected' }, { standing: 'open', failures: 0 }]);
    expect(reworkOf(task)).toMatchObject({ why: 'findings', from: entry.sha, report: expect.stringContaining('1. no test') });
    expect((await at.kinds()).filter((kind) => /^(review|task\.handed)/.test(kind))).toEqual([
      'review.asked',
      'review.answered',
      'task.handed-back',
    ]);
  });

  it('is a question after the last round, which closes when a person sends it back with their words', async () => {
    await using at = await asked('review: { tasks: marked, rounds: 1 }\n');
    const { entry, errand } = await at.ask(1);
    await at.answer(errand, 'FINDINGS:\n- no test');
    expect(await at.asked()).toMatchObject([{ kind: 'review', subject: 'p/1', reason: expect.stringContaining('1. no test') }]);
    expect(await at.mayLand()).toBe('p/1 waits for a review');
    const review = (await reviewOf(at.db, entry))!;
    await at.inTx((tx) => sendBack(tx, at.farm, entry, review, 'a small one will do', 2000));
    expect(await at.asked()).toEqual([]);
    expect(reworkOf(await at.task('p/1'))?.report).toMatch(/no test\n\nA person adds: a small one will do$/);
  });

  it('may land when a person overrules its reviewer, who is stopped; a second word changes nothing', async () => {
    await using at = await asked();
    const { entry, errand } = await at.ask(1);
    expect(await at.inTx((tx) => overrule(tx, at.farm, entry, 'I read it', 2000))).toBe(true);
    expect([await at.mayLand(), await errandOf(at.db, errand)]).toMatchObject([true, { standing: 'landed', result: null }]);
    expect(await at.inTx((tx) => overrule(tx, at.farm, entry, 'again', 2001))).toBe(false);
  });

  it('that has left the queue needs no review: the errand ends', async () => {
    await using at = await asked();
    const { entry, errand } = await at.ask(1);
    await at.landed('c1', 'p/1');
    expect(await driveReviews(at.farm, NO_QUEUE)).toBe(true);
    expect([await reviewOf(at.db, entry), await errandOf(at.db, errand)]).toMatchObject([undefined, { standing: 'landed' }]);
    expect(await driveReviews(at.farm, NO_QUEUE)).toBe(false);
  });
});
