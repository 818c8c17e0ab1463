import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest } from '../../../src/tell/digest/digest.ts';
import type { DigestSnapshot } from '../../../src/tell/digest/snapshot.ts';
import { sizeOf, tokensOf } from '../../../src/tell/digest/tokens.ts';
import { QUESTION_KINDS } from '../../../src/work/question/kind.ts';
import { runs } from '../../support/all.ts';
import { anyFarm } from './farms.ts';

const budgets = fc.integer({ min: 200, max: 8000 });
const textOf = (snapshot: DigestSnapshot, budget: number) => digest(snapshot, budget).sections.flatMap((section) => section.lines);
const section = (snapshot: DigestSnapshot, budget: number, name: string) =>
  digest(snapshot, budget).sections.find((one) => one.name === name)!.lines;

/** The ids of decisions that a section names, in any of its ways to write them. */
const named = (lines: readonly string[]) =>
  lines.slice(1).flatMap((line) => {
    const whole = /^\?(\d+) /.exec(line);
    if (whole) return [whole[1]!];
    const list = /^[a-z-]+: (\d+(?:, \d+)*)$/.exec(line);
    return list ? list[1]!.split(', ') : [];
  });

const quiet: DigestSnapshot = {
  seq: 512,
  since: 500,
  facts: {
    repository: '/home/me/app',
    target: 'main',
    checks: [{ name: 'unit', run: 'npm test' }],
    kinds: [
      { name: 'claude', driver: 'claude', role: 'agent' },
      { name: 'lead', driver: 'claude', role: 'orchestrator' },
    ],
    defaultKind: 'claude',
    phases: ['default'],
    attempts: 3,
    land: 'auto',
    isolation: 'guard',
    resources: { db: 1 },
  },
  agents: [
    { name: 'calm-otter', kind: 'claude', state: 'working', paused: false, task: '4', detail: null, says: null },
    { name: 'quick-lynx', kind: 'claude', state: 'idle', paused: false, task: null, detail: null, says: null },
    { name: 'slow-bear', kind: 'claude', state: 'waiting', paused: false, task: '5', detail: 'permission', says: 'asks to run curl' },
  ],
  tasks: [
    { id: '3', title: 'Parse dates', phase: 'default', state: 'landed', agent: 'calm-otter', attempt: 1, reason: null },
    { id: '4', title: 'Print dates', phase: 'default', state: 'leased', agent: 'calm-otter', attempt: 2, reason: null },
    { id: '6', title: 'Release', phase: 'default', state: 'waiting', agent: null, attempt: 0, reason: 'waits for 4' },
  ],
  farm: 'running',
  queue: { depth: 0, checking: 0, setups: 0, head: '0123456789abcdef', paused: false, halted: null },
  cost: { usd: 1.2, tokens: 3400 },
  events: [
    { seq: 501, at: '2030-01-02T11:04:05Z', kind: 'landing.landed', agent: null, task: '3', text: '3 landed' },
    { seq: 502, at: '2030-01-02T11:05:05Z', kind: 'agent.state', agent: 'slow-bear', task: '5', text: 'waiting' },
    { seq: 512, at: '2030-01-02T11:06:05Z', kind: 'attempt.started', agent: 'calm-otter', task: '4', text: 'begins with 4\nagain' },
  ],
  decisions: [
    { id: '7', kind: 'permission', subject: '5', reason: 'slow-bear asks to run curl', commands: ['furrow answer 7 allow|deny'] },
  ],
  awaited: [{ id: 'm12', from: 'calm-otter', state: 'seen', text: 'which time zone?\nUTC?' }],
  hidden: 0,
};

it('tells the facts first, then the board, what happened, what needs a decision, and how to go on', () => {
  expect(textOf(quiet, 2000)).toMatchInlineSnapshot(`
    [
      "repository /home/me/app, lands on main",
      "check unit: npm test",
      "agent kinds: claude (default), lead (claude, orchestrator)",
      "phases: default; attempts a task: 3; land: auto; isolation: guard",
      "resources: db 1",
      "farm running; tasks: 1 waiting, 1 working, 1 landed; queue: empty, head 01234567",
      "you wait for m12 from calm-otter (seen): which time zone?⏎UTC?",
      "agents: 1 working, 1 idle, 1 waiting",
      "agent slow-bear (claude) waiting: permission on 5: asks to run curl",
      "idle: quick-lynx (claude)",
      "4 working calm-otter try 2 "Print dates"",
      "6 waiting "Release": waits for 4",
      "events since #500 (10 more: furrow log --since 500)",
      "#501 11:04: 3 landed",
      "#512 11:06 calm-otter: begins with 4⏎again",
      "1 thing needs a decision",
      "?7 permission 5: slow-bear asks to run curl → furrow answer 7 allow|deny",
      "cost $1.20, 3400 tokens; next: furrow digest --since 512",
    ]
  `);
});

describe('a digest of any farm', () => {
  it('stays within its budget of 200 to 8000 tokens, with 50 agents and 500 events', () => {
    fc.assert(
      fc.property(anyFarm(60, true), budgets, (farm, budget) => {
        const made = digest(farm, budget);
        const lines = made.sections.flatMap((one) => one.lines);
        expect(tokensOf(sizeOf(...lines))).toBe(made.tokens);
        expect(made.tokens).toBeLessThanOrEqual(budget);
      }),
      { numRuns: runs(15, 75) },
    );
  });

  it('names everything that needs a decision, or says how many more and the command that shows them', () => {
    fc.assert(
      fc.property(anyFarm(400), budgets, (farm, budget) => {
        const lines = section(farm, budget, 'decisions');
        const more = Number(/^and (\d+) more: furrow status$/.exec(lines.at(-1)!)?.[1] ?? 0);
        expect(new Set(named(lines)).size).toBe(named(lines).length);
        expect(named(lines).length + more).toBe(farm.decisions.length);
      }),
      { numRuns: runs(15, 75) },
    );
  });

  it('names all of up to 25 decisions in the smallest of budgets', () => {
    fc.assert(
      fc.property(anyFarm(25), (farm) => {
        const lines = section(farm, 200, 'decisions');
        expect(
          named(lines)
            .map(Number)
            .sort((a, b) => a - b),
        ).toEqual(farm.decisions.map((one) => Number(one.id)));
      }),
      { numRuns: runs(15) },
    );
  });

  it('names them also when each is of another kind', () => {
    const kinds = (Object.keys(QUESTION_KINDS) as (keyof typeof QUESTION_KINDS)[]).toSorted((a, b) => b.length - a.length);
    const decisions = kinds
      .slice(0, 25)
      .map((kind, n) => ({ id: String(n + 1), kind, subject: '5', reason: 'slow-bear asks', commands: [] }));
    const late = { ...quiet, seq: 1_234_567, cost: { usd: 1234.56, tokens: 123_456_789 }, hidden: 120, decisions };
    expect(named(section(late, 200, 'decisions')).length).toBe(25);
  });

  it('ends with the command that goes on from its last event', () => {
    fc.assert(
      fc.property(anyFarm(60), budgets, (farm, budget) => {
        expect(textOf(farm, budget).at(-1)).toContain(`next: furrow digest --since ${farm.seq}`);
      }),
      { numRuns: runs(8, 40) },
    );
  });

  it('says nothing in the words of an agent that looks like a line of its own', () => {
    fc.assert(
      fc.property(anyFarm(10), (farm) => {
        expect(textOf(farm, 8000).filter((line) => line.includes('\n') || /^next: furrow digest --since 1$/.test(line))).toEqual([]);
      }),
      { numRuns: runs(8, 40) },
    );
  });
});

it('begins with the same words until a fact changes, whatever else does', () => {
  fc.assert(
    fc.property(anyFarm(20), anyFarm(20), fc.integer({ min: 1000, max: 8000 }), (one, other, budget) => {
      const facts = section(one, budget, 'facts');
      expect(facts.length).toBeGreaterThan(0);
      expect(section({ ...other, facts: one.facts }, budget, 'facts')).toEqual(facts);
    }),
    { numRuns: runs(10) },
  );
});

it('counts events that are only steps of others, and shows the newest when there is no room for all', () => {
  const events = Array.from({ length: 100 }, (_, n) => ({ ...quiet.events[0]!, seq: n + 501, text: `step ${n}` }));
  const lines = section({ ...quiet, seq: 600, events }, 400, 'changes');
  expect(lines[0]).toMatch(/^events since #500 \(\d+ more: furrow log --since 500\)$/);
  expect(lines.at(-1)).toContain('step 99');
  expect(lines.length).toBeGreaterThan(5);
});

it('says when nothing happened', () => {
  expect(section({ ...quiet, since: 512, events: [] }, 400, 'changes')).toEqual(['nothing happened since #512']);
});

it('tells an orchestrator what it still gets answers to, so that one that was restarted knows', () => {
  expect(section(quiet, 2000, 'board')).toContain('you wait for m12 from calm-otter (seen): which time zone?⏎UTC?');
});
