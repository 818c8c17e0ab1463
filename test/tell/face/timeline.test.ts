import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FarmEvent } from '../../../src/api/contract.ts';
import { foldHistory, type History, NO_HISTORY } from '../../../src/tell/face/timeline.ts';
import { lanesIn, ticksIn } from '../../../src/tell/face/timeline-window.ts';

const T0 = Date.parse('2026-03-01T10:00:00.000Z');

let last = 0;
const event = (kind: string, second: number, more: Partial<FarmEvent> = {}): FarmEvent => ({
  seq: ++last,
  at: new Date(T0 + second * 1000).toISOString(),
  kind,
  agent: null,
  task: null,
  attempt: null,
  text: kind,
  ...more,
  data: { ref: more.task ? `p1/${more.task}` : null, ...more.data },
});
const of = (agent: string | null, task: string, data: Record<string, unknown> = {}) => ({ agent, task, attempt: 1, data });
const state = (second: number, agent: string, is: string) => event('agent.state', second, of(agent, '1', { state: is }));

/** The spans of a lane as `kind from-to`, in seconds; an open end is `…`. */
function drawn(history: History, agent: string | null): string[] {
  const at = (time: number | null) => (time === null ? '…' : (time - T0) / 1000);
  const lane = history.lanes.get(agent);
  return [
    ...(lane?.spans ?? []).map((span) => `${span.kind} ${at(span.from)}-${at(span.to)}`),
    ...(lane?.moments ?? []).map((moment) => `${moment.kind} at ${at(moment.at)}`),
  ];
}

describe('the history of a farm', () => {
  it('follows an agent from its start through waiting to the landing of its work', () => {
    const history = foldHistory(NO_HISTORY, [
      event('attempt.started', 0, of('a-1', '1')),
      state(1, 'a-1', 'working'),
      state(5, 'a-1', 'waiting'),
      state(9, 'a-1', 'working'),
      event('attempt.ended', 12, of('a-1', '1', { outcome: 'submitted' })),
      event('entry.submitted', 12, of('a-1', '1')),
      event('entry.checking', 13, of(null, '1')),
      event('landing.landed', 20, { task: '1', data: { refs: ['p1/1'] } }),
    ]);
    expect(drawn(history, 'a-1')).toEqual(['working 0-5', 'waiting 5-9', 'working 9-12', 'queued 12-13', 'checking 13-20', 'landed at 20']);
  });

  it('tells an entry on hold from one that needs approval or a review', () => {
    const history = foldHistory(NO_HISTORY, [
      event('entry.submitted', 0, of('a-1', '1')),
      event('entry.held', 1, of(null, '1')),
      event('entry.held', 2, of(null, '1', { code: 'review' })),
      event('entry.held', 3, of(null, '1', { code: 'approval' })),
    ]);
    expect(drawn(history, 'a-1')).toEqual(['queued 0-1', 'held 1-2', 'review 2-3', 'approval 3-…']);
  });

  it('leaves open what nobody told the end of, and ends it when the agent starts on something else', () => {
    const history = foldHistory(NO_HISTORY, [
      event('attempt.started', 0, of('a-1', '1')),
      event('attempt.started', 7, of('a-1', '2')),
      event('entry.checking', 8, of(null, '5')),
    ]);
    expect(drawn(history, 'a-1')).toEqual(['working 0-7', 'working 7-…']);
    expect(drawn(history, null)).toEqual(['checking 8-…']);
  });

  it('takes an end without a beginning, and an event with nothing in it, for what they are', () => {
    const history = foldHistory(NO_HISTORY, [
      event('attempt.ended', 1, of('a-1', '1')),
      event('landing.landed', 2),
      event('entry.checking', 3),
      event('agent.state', 4, { agent: 'a-1', data: {} }),
      { ...event('attempt.started', 5, of('a-1', '1')), at: 'never' },
      event('kind.of.tomorrow', 6, of('a-1', '1')),
    ]);
    expect(drawn(history, 'a-1')).toEqual([]);
  });

  it('marks work that came back or was parked in the lane of whoever handed it in', () => {
    const history = foldHistory(NO_HISTORY, [
      event('entry.submitted', 0, of('a-2', '3')),
      event('entry.quarantined', 1, of(null, '3')),
      event('task.handed-back', 2, of(null, '3')),
      event('task.parked', 3, of(null, '3')),
    ]);
    expect(drawn(history, 'a-2')).toEqual(['queued 0-1', 'quarantined 1-2', 'back at 2', 'parked at 3']);
  });

  it('is the same whether the events come at once, one by one or twice', () => {
    const kinds = ['attempt.started', 'attempt.ended', 'agent.state', 'entry.submitted', 'entry.checking', 'landing.landed', 'task.parked'];
    const any = fc.record({
      kind: fc.constantFrom(...kinds),
      agent: fc.constantFrom('a-1', 'a-2', null),
      task: fc.constantFrom('1', '2', null),
      is: fc.constantFrom('working', 'waiting', 'limited', 'dead'),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), (made) => {
        const events = made.map(({ kind, agent, task, is }, at) =>
          event(kind, at, { agent, task, attempt: 1, data: { state: is, ref: task && `p1/${task}` } }),
        );
        const whole = foldHistory(NO_HISTORY, events);
        let parts = NO_HISTORY;
        for (const one of events) parts = foldHistory(foldHistory(parts, [one]), [one]);
        expect(parts).toEqual(whole);
        for (const lane of whole.lanes.values()) {
          const work = lane.spans.filter(({ track }) => track === 'work');
          for (const [n, span] of work.entries()) expect(span.to ?? Infinity).toBeLessThanOrEqual(work[n + 1]?.from ?? Infinity);
        }
      }),
    );
  });
});

describe('a window of it', () => {
  const history = foldHistory(NO_HISTORY, [
    event('attempt.started', 0, of('a-10', '1')),
    event('attempt.ended', 10, of('a-10', '1')),
    event('entry.submitted', 10, of('a-10', '1')),
    event('attempt.started', 10, of('a-10', '2')),
    event('entry.submitted', 12, of('a-10', '2')),
    event('entry.checking', 14, of(null, '1')),
    event('attempt.started', 15, of('a-2', '3')),
  ]);
  const lanes = (from: number, to: number) => lanesIn(history, { from: T0 + from * 1000, to: T0 + to * 1000, now: T0 + 20_000 });

  it('cuts what reaches over its borders, and lets open spans end now', () => {
    expect(lanes(5, 100).map(({ agent, lines }) => [agent, lines])).toEqual([
      ['a-2', 1],
      ['a-10', 3],
    ]);
    const [two, ten] = lanes(5, 100);
    expect(two!.spans).toMatchObject([{ from: T0 + 15_000, to: T0 + 20_000, open: true }]);
    expect(ten!.spans[0]).toMatchObject({ from: T0 + 5_000, to: T0 + 10_000, open: false });
    expect(ten!.spent).toEqual({ working: 15_000, queued: 12_000, checking: 6_000 });
  });

  it('draws an entry in one line from its submission to its end, and another beside it in another', () => {
    const lined = lanes(0, 100)[1]!.spans.filter(({ track }) => track === 'queue');
    expect(lined.map(({ task, kind, line }) => [task, kind, line])).toEqual([
      ['1', 'queued', 1],
      ['2', 'queued', 2],
      ['1', 'checking', 1],
    ]);
  });

  it('leaves out lanes in which nothing happened', () => expect(lanes(0, 3).map(({ agent }) => agent)).toEqual(['a-10']));

  it('has round times on its axis', () => {
    const seconds = (from: number, to: number) => ticksIn({ from: from * 1000, to: to * 1000 }, 6).map((at) => at / 1000);
    expect(seconds(3, 27)).toEqual([5, 10, 15, 20, 25]);
    expect(seconds(0, 3600)).toEqual([0, 600, 1200, 1800, 2400, 3000, 3600]);
    expect(ticksIn({ from: 0, to: 40 * 86_400_000 }, 6)).toHaveLength(6);
  });
});
