import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOwed, type OpenJob, planJobs } from '../../../src/agents/job/plan.ts';
import { isEnd, type JobEvent, type Standing, step } from '../../../src/agents/job/state.ts';
import {
  advanceJob,
  cancelJob,
  findJob,
  jobsWith,
  noteDelivered,
  noteJobReminded,
  pruneJobs,
  sendJob,
} from '../../../src/agents/job/store.ts';
import { inboxOf } from '../../../src/agents/message/read.ts';
import { markDelivered, markHanded, markReturned } from '../../../src/agents/message/store.ts';
import type { Tx } from '../../../src/journal/store.ts';
import { newStore } from '../../support/store.ts';
import { addAttempt } from '../message/attempt.ts';

const anyEvent: fc.Arbitrary<JobEvent> = fc.oneof(
  fc.record({ on: fc.constant('delivered' as const), attempt: fc.integer({ min: 1, max: 2 }) }),
  fc.record({
    on: fc.constant('said' as const),
    state: fc.constantFrom('running' as const, 'awaiting_input' as const, 'completed' as const, 'failed' as const),
    attempt: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({ on: fc.constant('ended' as const), state: fc.constantFrom('expired' as const, 'unavailable' as const) }),
);

it('a job has one end, and only the attempt that has it speaks for it', () =>
  fc.assert(
    fc.property(fc.array(anyEvent), (events) => {
      let at: Standing = { state: 'queued', attempt: null };
      for (const event of events) {
        const next: Standing | undefined = step(at, event);
        if (isEnd(at.state)) expect(next).toBeUndefined();
        if (next && event.on === 'said') expect([at.attempt, at.state === 'queued']).toEqual([event.attempt, false]);
        if (next && at.attempt !== null) expect(next.attempt).toBe(at.attempt);
        at = next ?? at;
      }
    }),
  ));

describe('an open job', () => {
  const job = (more: Partial<OpenJob> = {}): OpenJob => ({
    ...{ id: 1, owner: 'bob', state: 'running', attempt: 7, deadline: 100, cancel: null },
    message: { state: 'delivered', attempt: 7, reason: null },
    ...more,
  });
  const waits = (state: 'pending' | 'dead') =>
    job({ state: 'queued', attempt: null, message: { state, attempt: null, reason: 'nobody read it' } });
  it.each<[string, OpenJob, number[], number, unknown[]]>([
    ['goes on while its attempt does', job(), [7], 99, []],
    ['waits in the queue', waits('pending'), [], 99, []],
    ['is delivered with its message', job({ state: 'queued', attempt: null }), [7], 50, [{ do: 'deliver', job: 1, attempt: 7 }]],
    ['is unavailable when nobody got it', waits('dead'), [], 50, [{ do: 'end', job: 1, state: 'unavailable', reason: 'nobody read it' }]],
    ['expires', job(), [7], 100, [{ do: 'end', job: 1, state: 'expired', reason: 'its deadline passed while it was running' }]],
    ['fails with its attempt', job(), [], 50, [{ do: 'end', job: 1, state: 'failed', reason: 'bob ended its attempt without a result' }]],
    ['is cancelled when that was wanted', job({ cancel: 'x' }), [], 50, [expect.objectContaining({ state: 'cancelled' })]],
    ['that has ended is left alone', job({ state: 'completed' }), [], 200, []],
  ])('%s', (_what, one, running, now, actions) => expect(planJobs([one], new Set(running), now)).toEqual(actions));
});

async function store() {
  const at = await newStore();
  await addAttempt(at.db, 1, 'ada');
  await addAttempt(at.db, 2, 'bob');
  const run = <T>(work: (tx: Tx) => Promise<T>) => at.db.transaction().execute(work);
  const asked = { requester: 'ada', owner: 'bob', text: 'measure it', askedBy: 1, deadline: 100, hops: 0, key: 'k' };
  const begun = async () => {
    const id = await run((tx) => sendJob(tx, asked, 1));
    await run((tx) => markHanded(tx, id, 'hook', 2, 2));
    await run((tx) => markDelivered(tx, [id], 2, 3));
    await run((tx) => noteDelivered(tx, 2, 4));
    return id;
  };
  const bodies = async (name: string) => (await inboxOf(at.db, name)).map((one) => `${one.sender}: ${one.body}`);
  return { db: at.db, run, asked, begun, bodies, [Symbol.asyncDispose]: at[Symbol.asyncDispose] };
}

describe('a stored job', () => {
  it('is sent once with its key, delivered with its message, and its result comes back as a message', async () => {
    await using at = await store();
    const id = await at.begun();
    expect(await at.run((tx) => sendJob(tx, at.asked, 9))).toBe(id);
    expect(await jobsWith(at.db, 2)).toMatchObject([{ id, state: 'delivered', attempt: 2 }]);
    const done = { on: 'said', state: 'completed', attempt: 2 } as const;
    expect(await at.run((tx) => advanceJob(tx, id, { ...done, attempt: 1 }, { note: 'forged' }, 5))).toBe(false);
    const said = { note: '170 ms', summary: '170 ms', artifacts: ['bench/start.md'] };
    expect(await at.run((tx) => advanceJob(tx, id, done, said, 5))).toBe(true);
    expect(await at.run((tx) => advanceJob(tx, id, done, said, 6))).toBe(false);
    expect(await findJob(at.db, id)).toMatchObject({ state: 'completed', summary: '170 ms', ended: 5 });
    expect(await at.bodies('ada')).toEqual([`bob: Job j${id} is completed.\n170 ms\nIn the worktree of bob: bench/start.md`]);
    expect(await inboxOf(at.db, 'ada')).toMatchObject([{ kind: 'reply', answers: id, thread: id }]);
  });

  it('is owed by the attempt that it was handed to beside an answer, before its receipt is proven', async () => {
    await using at = await store();
    const id = await at.run((tx) => sendJob(tx, at.asked, 1));
    const owed = async () => (await jobsWith(at.db, 2)).filter(({ state }) => isOwed(state)).map((one) => one.id);
    expect(await owed()).toEqual([]);
    await at.run((tx) => markHanded(tx, id, 'hook', 2, 2));
    expect([await owed(), await jobsWith(at.db, 1)]).toEqual([[id], []]);
    await at.run((tx) => markReturned(tx, id, 1, 3));
    expect(await owed()).toEqual([]);
    await at.run((tx) => markHanded(tx, id, 'keys', 2, 4));
    expect(await owed()).toEqual([]);
  });

  it('is cancelled at once while nobody has it, and else only its agent can say that it stopped', async () => {
    await using at = await store();
    const queued = await at.run((tx) => sendJob(tx, { ...at.asked, key: 'other' }, 1));
    const cancel = (id: number) => at.run(async (tx) => cancelJob(tx, (await findJob(tx, id))!, 'ada', 'not needed', 5));
    expect(await cancel(queued)).toBe('cancelled');
    expect(await inboxOf(at.db, 'bob')).toMatchObject([{ id: queued, state: 'dead' }]);
    const id = await at.begun();
    expect([await cancel(id), await cancel(id)]).toEqual(['asked', 'asked']);
    expect(await findJob(at.db, id)).toMatchObject({ state: 'delivered', cancel: 'cancelled by ada: not needed' });
    expect((await at.bodies('bob')).filter((body) => body.includes('not wanted any more'))).toHaveLength(1);
    await at.run((tx) => advanceJob(tx, id, { on: 'said', state: 'completed', attempt: 2 }, { note: 'done all the same' }, 6));
    expect(await cancel(id)).toBe('over');
  });

  it('that the farm ends is told to both, as long as its agent is at work', async () => {
    await using at = await store();
    const id = await at.begun();
    await at.run((tx) => noteJobReminded(tx, [id, 99], 5));
    await at.run((tx) => advanceJob(tx, id, { on: 'ended', state: 'expired' }, { note: 'its deadline passed' }, 100));
    expect(await at.bodies('ada')).toEqual([`furrow: Job j${id} is expired.\nits deadline passed`]);
    expect((await at.bodies('bob')).at(-1)).toBe(`furrow: Job j${id} is expired: its deadline passed. Nobody waits for it any more.`);
    expect(await findJob(at.db, id)).toMatchObject({ reminded: 1 });
    expect([await pruneJobs(at.db, 100, 9), await pruneJobs(at.db, 101, 9)]).toEqual([0, 1]);
  });
});
