import { describe, expect, it } from 'vitest';
import { foldHistory, NO_HISTORY } from '../../../src/tell/face/timeline.ts';
import { lanesIn } from '../../../src/tell/face/timeline-window.ts';
import { factsOf } from '../../../src/tell/report/facts.ts';
import { percentilesOf } from '../../../src/tell/report/percentiles.ts';
import { minute, START, story } from './rows.ts';

const iso = (n: number) => new Date(minute(n)).toISOString();
const facts = factsOf(story);
const MIN = 60_000;
const sum = (spans: readonly { from: string; to: string }[]) =>
  spans.reduce((all, { from, to }) => all + Date.parse(to) - Date.parse(from), 0);

describe('the facts of a run', () => {
  it('tell what landed, by whom, and how long it took from ready', () => {
    expect(facts.landed).toMatchObject([
      {
        task: '1',
        agent: 'calm-otter',
        kind: 'claude',
        commit: 'aaaaaaaaaaaa',
        ready: iso(1),
        lead_ms: 13 * MIN,
        attempts: 1,
        usd: 0.25,
        tokens: 200,
      },
      { task: '4', agent: 'calm-otter', commit: null, attempts: 1 },
      // Ready when what it depends on had landed.
      { task: '2', agent: 'wise-crow', kind: 'codex', ready: iso(14), lead_ms: 32 * MIN, attempts: 2, usd: 0.75 },
      { task: 'fix/typo', phase: '', agent: null, kind: null, ready: null, lead_ms: null },
    ]);
    expect(facts.landings).toBe(3);
    expect(facts.lead).toMatchObject({ count: 3, longest_ms: 32 * MIN });
  });

  it('add up the cost by task, agent and kind', () => {
    expect(facts.cost).toMatchObject({ usd: 1, partial: true, tokens: 615, input: 410, output: 155, cached: 50 });
    expect(facts.cost.tasks.map(({ id, usd, landed }) => [id, usd, landed])).toEqual([
      ['1', 0.25, true],
      ['2', 0.75, true],
      ['5', 0, false],
    ]);
    expect(facts.agents.map(({ name, kind, attempts, landed, failed, usd }) => [name, kind, attempts, landed, failed, usd])).toEqual([
      ['calm-otter', 'claude', 5, 2, 1, 0.25],
      ['wise-crow', 'codex', 2, 1, 0, 0.75],
    ]);
    expect(facts.kinds.reduce((sum, { usd }) => sum + usd, 0)).toBe(facts.cost.usd);
    expect(facts.attempts).toEqual({ total: 7, outcomes: { submitted: 4, unchanged: 1, crashed: 1, running: 1 } });
  });

  it('tell what was waited for', () => {
    const minutes = Object.fromEntries(Object.entries(facts.waiting).map(([key, { count, total_ms: ms }]) => [key, [count, ms / MIN]]));
    expect(minutes).toEqual({
      // 2 for a permission, 1 for the queue, 10 for an answer, and 20 until now.
      person: [4, 33],
      // 1 and 3 from minute 1; 2 from its dependency; 4 and 5 from minute 1; then 2 and 5 between their attempts.
      agent: [7, 1 + 1 + 2 + 20 + 24 + 2 + 1],
      slot: [1, 1],
      dependencies: [1, 13],
      limit: [1, 5],
    });
  });

  it('count checks, and a red on a tree that passed as a flake', () => {
    expect(facts.checks).toEqual([
      {
        name: 'unit',
        runs: 5,
        passes: 2,
        fails: 2,
        errors: 1,
        flakes: 1,
        count: 4,
        p50_ms: 30_000,
        p95_ms: 90_000,
        longest_ms: 90_000,
        total_ms: 210_000,
      },
    ]);
    expect(facts.flakes).toEqual([{ check: 'unit', tree: 't2', at: iso(43) }]);
  });

  it('tell conflicts, rejections, questions, reviews, races, what was taken back and what is left', () => {
    expect(facts.conflicts).toMatchObject({
      predicted: 1,
      entries: [{ task: '3', title: 'Sort the list', reason: 'conflicts with main in src/list.ts' }],
    });
    expect(facts.rejected).toMatchObject([{ task: '2' }]);
    expect(facts.questions).toMatchObject({ asked: 4, answered: 2, open: 1, time: { count: 3, p50_ms: 2 * MIN, longest_ms: 10 * MIN } });
    expect(facts.questions.list.map(({ subject, answered }) => [subject, answered])).toEqual([
      ['1', true],
      ['5', false],
      ['queue', false],
      ['3', true],
    ]);
    expect(facts.reviews).toMatchObject({ asked: 1, approved: 1, findings: 0 });
    expect(facts.races).toMatchObject([{ task: '2', entrants: 2, outcome: 'won', winner: 'wise-crow' }]);
    expect(facts.taken_back).toMatchObject([{ task: '3', why: expect.stringContaining('e2e') }]);
    expect(facts.left).toMatchObject([
      { task: '3', state: 'ready' },
      { task: '5', state: 'parked', reason: 'failed 3 times' },
    ]);
    expect(facts.tasks).toEqual({ landed: 3, ready: 1, parked: 1, archived: 1 });
  });

  it('draw each agent, and over its attempts when it waited', () => {
    const [otter] = facts.plots.lanes;
    expect(otter).toMatchObject({ agent: 'calm-otter' });
    expect(otter!.spans.slice(0, 2)).toMatchObject([
      { what: 'work', from: iso(2), to: iso(10), task: '1', outcome: 'submitted' },
      { what: 'waiting', from: iso(5), to: iso(6) },
    ]);
    expect(otter!.spans.at(-1)).toMatchObject({ outcome: 'running', to: iso(120) });
    expect(facts.plots.spent.map(({ usd }) => usd)).toEqual([0.25, 1, 1]);
  });

  it('have the same times as the timeline of the page', () => {
    const shown = lanesIn(foldHistory(NO_HISTORY, story.timeline), { from: story.since, to: story.now, now: story.now });
    const waited = facts.plots.lanes.map(({ agent, spans }) => [agent, sum(spans.filter(({ what }) => what === 'waiting'))]);
    expect(waited).toEqual(shown.map(({ agent, spent }) => [agent, spent.waiting ?? 0]));
    const times = facts.plots.lanes.map(({ agent, spans }) => [agent, sum(spans.filter(({ what }) => what === 'work'))]);
    expect(times).toEqual(shown.map(({ agent, spent }) => [agent, (spent.working ?? 0) + (spent.waiting ?? 0)]));
  });
});

describe('a part of a run', () => {
  it('leaves out what came before it, and does not guess when a task was ready', () => {
    const recent = <R extends { ended: number | null }>(rows: readonly R[]) =>
      rows.filter(({ ended }) => ended === null || ended >= minute(30));
    const later = factsOf({
      ...story,
      since: minute(30),
      attempts: recent(story.attempts),
      entries: recent(story.entries),
      events: story.events.filter(({ at }) => at >= minute(30)),
    });
    expect(later.landed.map(({ task, ready }) => [task, ready])).toEqual([
      ['2', null],
      ['fix/typo', null],
    ]);
    expect(later.waiting.person).toMatchObject({ count: 3, total_ms: 31 * MIN });
    expect(later.plots.lanes[0]).toMatchObject({ agent: 'calm-otter', spans: [{ from: iso(30), to: iso(60), outcome: 'crashed' }, {}] });
  });

  it('says what is no longer kept', () => {
    expect(facts.period.missing).toBeNull();
    const old = factsOf({ ...story, since: 0, kept: { first: 1001, firstAt: minute(50), last: 1240 }, oldestRun: minute(40) });
    expect(old.period).toMatchObject({
      from: iso(2),
      missing: expect.stringMatching(/^events before .* no longer kept.*; runs of checks before/),
    });
  });

  it('of an empty farm has no facts and no failure', () => {
    const none = {
      tasks: [],
      attempts: [],
      usage: [],
      entries: [],
      landings: [],
      runs: [],
      questions: [],
      reviews: [],
      races: [],
      entrants: [],
      reverts: [],
      events: [],
      timeline: [],
    };
    const empty = factsOf({ ...story, ...none, since: 0, kept: { first: 1, firstAt: START, last: 0 } });
    expect(empty).toMatchObject({ landed: [], lead: { count: 0, p50_ms: 0 }, cost: { usd: 0 }, plots: { lanes: [] } });
  });
});

it.each([
  [[], 0, 0],
  [[7], 7, 7],
  [[4, 1, 3, 2], 2, 4],
  [Array.from({ length: 100 }, (_, n) => n + 1), 50, 95],
])('of %j the median is %d and the 95th of a hundred %d: values that were measured', (times, p50, p95) => {
  expect(percentilesOf(times)).toMatchObject({ p50_ms: p50, p95_ms: p95 });
});
