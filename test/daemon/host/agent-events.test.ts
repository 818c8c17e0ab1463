import { describe, expect, it } from 'vitest';
import { advanceSupervision } from '../../../src/agents/supervision/store.ts';
import { advanceAttempt } from '../../../src/work/attempt/store.ts';
import { supervised } from './supervised.ts';

const READY = { session_id: 's1', transcript_path: '/t.jsonl', source: 'startup' };

describe('an event of an agent', () => {
  it('is stored before it is answered, and a change of its state is told of once', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    await at.hook(attempt, 'SessionStart', READY, new AbortController().signal);
    await at.hook(attempt, 'UserPromptSubmit', { session_id: 's1', prompt: 'go' }, new AbortController().signal);
    await at.hook(attempt, 'UserPromptSubmit', { session_id: 's1', prompt: 'go' }, new AbortController().signal);
    expect((await at.record(attempt)).signals).toMatchObject({ session: 's1', transcriptPath: '/t.jsonl', turnOpen: true });
    expect(await at.told()).toEqual(['agent.state: calm-otter is idle', 'agent.state: calm-otter is working']);
  });

  it('is known to the next daemon, which reads the same record', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    await at.say(attempt, { on: 'ready', session: 's1' });
    await at.say(attempt, { on: 'prompt', text: 'go' });
    const { record } = (await at.running.find(attempt))!;
    expect((await at.daemon().running.find(attempt))!.record).toEqual(record);
  });

  it('that comes together with another one is not lost: both are in the record', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, context: 0.5 };
    await Promise.all([at.say(attempt, { on: 'ready', session: 's1' }), at.say(attempt, { on: 'usage', session: 's1', usage })]);
    expect((await at.record(attempt)).signals).toMatchObject({ session: 's1', usageContext: 0.5 });
  });

  it('of a process that was relaunched meanwhile is not written over what the relaunch stored', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    await at.say(attempt, { on: 'ready', session: 's1' });
    const before = (await at.running.find(attempt))!;
    await at.db.transaction().execute(async (tx) => {
      await advanceAttempt(tx, attempt, { on: 'relaunched', launch: 2 }, { pid: null, pid_start: null });
      await advanceSupervision(tx, attempt, { on: 'process-starts', sameConversation: false, at: at.time.now }, at.time.now);
    });
    const stored = await at.record(attempt);
    expect(await at.running.advance(before, { on: 'nudged', at: at.time.now })).toBe(false);
    expect(await at.record(attempt)).toEqual(stored);
    expect((await at.running.find(attempt))!.record).toEqual(stored);
  });

  it('of an attempt that has ended is not answered', async () => {
    await using at = await supervised('calm-otter');
    expect(await at.hook(99, 'SessionStart', READY, new AbortController().signal)).toBeUndefined();
  });

  it('that shows a provider at work again ends a limit whose time nobody named', async () => {
    await using at = await supervised('calm-otter');
    const [attempt] = at.attempts as [number];
    await at.say(attempt, { on: 'turn-failed', why: 'overloaded', text: 'busy' });
    expect((await at.record(attempt)).signals.own).toMatchObject({ state: 'limited', until: at.time.now + 60_000 });
    await at.say(attempt, { on: 'question', request: 'q', questions: [] });
    expect((await at.told()).filter((line) => line.startsWith('provider'))).toHaveLength(2);
  });
});
