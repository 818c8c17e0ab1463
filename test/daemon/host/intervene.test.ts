import { describe, expect, it } from 'vitest';
import { defaultsOf } from '../../../src/config/load.ts';
import type { RelaunchArgs } from '../../../src/daemon/acts/attempt-relaunch/arguments.ts';
import { attemptRelaunch } from '../../../src/daemon/acts/attempt-relaunch/leader.ts';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import type { After, Memory } from '../../../src/daemon/leader/act-half.ts';
import type { Tx } from '../../../src/journal/store.ts';
import { supervised } from './supervised.ts';

const MINUTE = 60_000;
const HEADLESS = JSON.stringify({ ...defaultsOf('claude'), driver: 'claude', mode: 'headless' });

describe('a silent agent', () => {
  it('is looked at twice, nudged, asked about, and given up when nobody answers for an hour', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    await at.say(attempt, { on: 'prompt', text: 'go' });
    const did = async (wait: number) => {
      at.time.now += wait;
      await at.look();
      const { interventions, turn } = await at.record(attempt);
      const { looks, nudges, askedFor } = interventions;
      return { looks, nudges, askedFor, turn: turn?.do };
    };
    expect(await did(10 * MINUTE - 1)).toMatchObject({ looks: 0 });
    expect(at.farm.alarm.set?.at).toBe(at.time.now + 1);
    expect(await did(1)).toMatchObject({ looks: 1, nudges: 0 });
    expect(await did(3_000)).toMatchObject({ looks: 2, nudges: 0 });
    expect(await did(0)).toMatchObject({ looks: 2, nudges: 1, askedFor: null });
    expect(await at.messagesFor('calm-otter')).toEqual([expect.stringContaining('Nothing has been heard from you')]);
    expect(await did(2 * MINUTE)).toMatchObject({ nudges: 1, askedFor: 'stuck' });
    expect(await at.questions()).toEqual([expect.stringMatching(/^calm-otter: nothing is heard from it/)]);
    expect(await did(60 * MINUTE)).toMatchObject({ turn: 'question' });
  });

  it('that works again needs nobody any more: the question is closed, and its next silence counts anew', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    await at.say(attempt, { on: 'prompt', text: 'go' });
    for (const wait of [10 * MINUTE, 3_000, 0, 2 * MINUTE]) {
      at.time.now += wait;
      await at.look();
    }
    expect(await at.questions()).toHaveLength(1);
    at.time.now += 1_000;
    await at.say(attempt, { on: 'prompt', text: 'more' });
    await at.look();
    expect(await at.questions()).toEqual([]);
    expect((await at.record(attempt)).interventions).toMatchObject({ askedFor: null, askedAt: null });
    at.time.now += 10 * MINUTE;
    await at.look();
    expect((await at.record(attempt)).interventions).toMatchObject({ looks: 1 });
  });
});

describe('an agent whose title alone says that it waits', () => {
  it('is asked about as soon as the title has stood for two seconds: the loop is woken for that', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    const title = { reading: { state: 'waiting' as const, detail: 'permission' } };
    await at.running.advance((await at.running.find(attempt))!, { on: 'looked', title, at: at.time.now });
    await at.look();
    expect([await at.questions(), at.farm.alarm.set?.at]).toEqual([[], at.time.now + 2_000]);
    at.time.now += 2_000;
    await at.look();
    expect(await at.questions()).toEqual([expect.stringMatching(/^calm-otter: its window shows a prompt/)]);
  });
});

describe('an agent whose process was killed', () => {
  it('goes on: it is relaunched with its conversation, and the end of its process is stored once', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    await at.say(attempt, { on: 'ready', session: 's1' });
    await at.say(attempt, { on: 'prompt', text: 'go' });
    const seenAt = at.time.now;
    expect(await at.look({ alive: false })).toEqual([attempt]);
    expect(at.acts).toEqual([{ kind: 'attempt.relaunch', attempt, launch: 2, how: 'resume', why: 'its process ended' }]);
    at.time.now += 500;
    await at.look({ alive: false });
    expect((await at.record(attempt)).ended).toEqual({ at: seenAt, halted: false });
  });

  it('before it did anything is given five seconds', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    const killedAt = at.time.now;
    expect(await at.look({ alive: false })).toEqual([attempt]);
    expect([at.acts, at.farm.alarm.set?.at]).toEqual([[], killedAt + 5_000]);
    at.time.now += 5_000;
    await at.look({ alive: false });
    expect(at.acts).toMatchObject([{ launch: 2, how: 'fresh' }]);
  });
});

describe('agents of a provider that refuses to serve', () => {
  it('are told to go on one after the other, and the loop is woken for each', async () => {
    await using at = await supervised('calm-otter', 'bold-heron');
    const until = at.time.now + 5 * MINUTE;
    for (const attempt of at.attempts) await at.say(attempt, { on: 'turn-failed', why: 'limit', text: 'slow down', until });
    const told = async () => [(await at.messagesFor('calm-otter')).length, (await at.messagesFor('bold-heron')).length];
    await at.look();
    expect(await told()).toEqual([0, 0]);
    at.time.now = until + 5_000;
    await at.look();
    expect([await told(), at.farm.alarm.set?.at]).toEqual([[1, 0], until + 8_000]);
    at.time.now = until + 8_000;
    await at.look();
    expect(await told()).toEqual([1, 1]);
  });
});

describe('an agent that ends with its failed turn', () => {
  it('is started again three times, each of which counts, and then a person is asked, once', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    await at.db.updateTable('attempt').set({ settings: HEADLESS }).execute();
    const leader = attemptRelaunch({ ...at.farm, trust: { now: { yes: true } } } as unknown as Farm);
    const after: After = (change) => change({ forget: at.running.forget } as Memory);
    const inTx = (work: (tx: Tx) => Promise<void>) => at.db.transaction().execute(work);
    const relaunches = async () => {
      const acts = at.acts.splice(0) as RelaunchArgs[];
      for (const act of acts) {
        await inTx((tx) => leader.begin!(tx, act, at.time.now, after));
        await inTx((tx) => leader.finish(tx, act, { pid: 1, start: 's' }, at.time.now, after));
      }
      return acts.length;
    };
    const counts: unknown[] = [];
    for (let turn = 1; turn <= 6; turn++) {
      if ((await at.record(attempt)).ended === null) {
        at.time.now += 1000;
        await at.say(attempt, { on: 'ready', session: 's1' });
        await at.say(attempt, { on: 'prompt', text: 'go' });
        await at.look();
        await at.say(attempt, { on: 'turn-failed', why: 'error', text: 'no answer' });
      }
      await at.look({ alive: false });
      at.time.now += 60 * MINUTE;
      expect(await at.look({ alive: false }), 'it is not ended meanwhile').toEqual(turn <= 3 ? [attempt] : expect.anything());
      counts.push([await relaunches(), (await at.record(attempt)).interventions.continues]);
    }
    expect(counts).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [0, 3],
      [0, 3],
      [0, 3],
    ]);
    expect(await at.questions()).toEqual(['calm-otter: 3 requests to its model failed: no answer']);
  });
});
