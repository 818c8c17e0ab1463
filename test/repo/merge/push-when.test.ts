import { describe, expect, it } from 'vitest';
import { planPush, pushAgain } from '../../../src/repo/merge/push-failure.ts';

describe('when to push', () => {
  it('waits 5 seconds, then twice as long each time, and never more than 10 minutes', () => {
    expect([1, 2, 3, 8, 50].map(pushAgain)).toEqual([5000, 10_000, 20_000, 600_000, 600_000]);
  });

  it('pushes the newest, once at a time, and asks a human-sized obstacle again when the target has moved', () => {
    const state = { target: 'b', pushed: 'a', failed: undefined, busy: false, moved: false };
    expect(planPush(state, 0)).toEqual({ push: 'b' });
    expect(planPush({ ...state, pushed: 'b' }, 0)).toEqual({});
    expect(planPush({ ...state, busy: true }, 0)).toEqual({});
    const offline = { ...state, failed: { commit: 'a', kind: 'offline' as const, times: 2, at: 1000 } };
    expect(planPush(offline, 2000)).toEqual({ wakeAt: 11_000 });
    expect(planPush(offline, 11_000)).toEqual({ push: 'b' });
    const diverged = { ...state, failed: { commit: 'b', kind: 'diverged' as const, times: 1, at: 0 } };
    expect(planPush(diverged, 1)).toEqual({ wakeAt: 600_000 });
    expect(planPush({ ...diverged, target: 'c' }, 1)).toEqual({ push: 'c' });
    // The person has merged or pushed: what they were asked for may be done.
    expect(planPush({ ...diverged, moved: true }, 1)).toEqual({ push: 'b' });
    expect(planPush({ ...offline, moved: true }, 2000)).toEqual({ wakeAt: 11_000 });
  });
});
