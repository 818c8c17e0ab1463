import { describe, expect, it } from 'vitest';
import { findAgent } from '../../../../src/agents/agent/store.ts';
import { noteWord, readAttempt } from '../../../../src/work/attempt/store.ts';
import { openEntries } from '../../../../src/work/entry/read.ts';
import { askPerson } from '../../../../src/work/question/store.ts';
import { reworkOf } from '../../../../src/work/task/rework.ts';
import { decided, SUBMITTED } from '../../leader/decided.ts';

const FAILED = { outcome: 'failed', reason: 'exit 2', sha: null, kept: null } as const;
const CRASHED = { outcome: 'crashed', reason: 'killed by signal 9', sha: null, kept: null } as const;

describe('the end of an attempt', () => {
  it('that submitted its work frees its agent and queues one entry; a second end changes nothing', async () => {
    await using at = await decided('1');
    const id = await at.start('p/1');
    await at.end(id, SUBMITTED);
    expect(await at.task('p/1')).toMatchObject({ standing: 'submitted', attempt: 1 });
    expect(await findAgent(at.db, 'ada')).toMatchObject({ state: 'idle', attempt: null });
    expect(await openEntries(at.db)).toMatchObject([{ task: 'p/1', attempt: 1, agent: 'ada', sha: 'c0ffee', target: 'main' }]);
    const told = await at.kinds();
    await at.end(id, FAILED);
    expect([await at.kinds(), (await readAttempt(at.db, id)).outcome]).toEqual([told, 'submitted']);
  });

  it('that failed opens the task again with its reason, and parks it with a question after three', async () => {
    await using at = await decided('1');
    for (const failures of [1, 2]) {
      await at.end(await at.start('p/1'), FAILED);
      const task = await at.task('p/1');
      expect([task.standing, task.failures, reworkOf(task)]).toEqual(['open', failures, { why: 'failed', report: 'exit 2', from: null }]);
      expect(await at.asked()).toEqual([]);
    }
    await at.end(await at.start('p/1'), FAILED);
    expect(await at.task('p/1')).toMatchObject({ standing: 'parked', failures: 3, blocked: 1 });
    expect(await at.asked()).toEqual([{ kind: 'parked', subject: 'p/1', reason: '3 attempts failed, the last one: exit 2' }]);
    expect(await openEntries(at.db)).toEqual([]);
  });

  it('that crashed is tried again later and later, without counting as a failure', async () => {
    await using at = await decided('1');
    const waits: number[] = [];
    for (let n = 0; n < 4; n++) {
      await at.end(await at.start('p/1'), CRASHED);
      waits.push(Math.max(0, (await at.task('p/1')).not_before - at.time.now));
    }
    expect(waits).toEqual([0, 1000, 2000, 4000]);
    expect(await at.task('p/1')).toMatchObject({ standing: 'open', failures: 0, crashes: 4 });
  });

  it('closes what its agent still waited for', async () => {
    await using at = await decided('1');
    const id = await at.start('p/1');
    const asks = { kind: 'ask', agent: 'ada', task: 'p/1', attempt: 1, reason: 'ada asks: which?', data: null, expires: null } as const;
    await at.inTx((tx) => askPerson(tx, { ...asks, answers: 'TEXT' }, 1));
    expect((await at.asked()).map(({ kind }) => kind)).toEqual(['ask']);
    await at.end(id, SUBMITTED);
    expect(await at.asked()).toEqual([]);
  });

  it('goes by the word of a person who gave the task up, whatever the agent did', async () => {
    await using at = await decided('1');
    const id = await at.start('p/1');
    await at.inTx((tx) => noteWord(tx, id, { givenUp: 'given up by you' }, 5));
    await at.end(id, SUBMITTED);
    expect([await at.task('p/1'), await openEntries(at.db)]).toMatchObject([{ standing: 'parked', block_reason: 'given up by you' }, []]);
  });
});
