import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FarmEvent, ListedAgent } from '../../../src/api/contract.ts';
import { paint } from '../../../src/faces/cli/out.ts';
import { columns, cut, span, width } from '../../../src/faces/cli/view/columns.ts';
import { statusLines } from '../../../src/faces/cli/view/status.ts';
import { frame } from '../../../src/faces/cli/view/work.ts';
import { emptyStatus } from './stub.ts';

const plain = paint(false);
const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constant('日本語のタスク'));

it('a cut text is never wider than asked, and text that fits is left alone', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), (words, to) => {
      expect(width(cut(words, to))).toBeLessThanOrEqual(Math.max(to, 1));
      if (width(words) <= to) expect(cut(words, to)).toBe(words);
    }),
  );
});

it('columns line up whatever the letters and colours, one line a row', () => {
  const rows = [
    ['a', paint(true).red('日本'), 'x'],
    ['long', 'b\nc', 'y'],
  ];
  const lines = columns(rows);
  expect(lines).toHaveLength(2);
  expect(lines.map((line) => width(line))).toEqual([13, 13]);
});

it('columns leave out what is empty everywhere', () => {
  expect(
    columns([
      ['1', '', 'a'],
      ['2', '', 'b'],
    ]),
  ).toEqual(['1  a', '2  b']);
});

const spans = (ms: number, expected: string) => () => expect(span(ms)).toBe(expected);
it('seconds', spans(5_999, '5s'));
it('minutes', spans(65_000, '1m05s'));
it('hours', spans(3_900_000, '1h05m'));
it('days', spans(90_000_000, '1d1h'));
it('a clock that went back', spans(-5, '0s'));

const agent = (index: number, title: string): ListedAgent => ({
  name: `agent-${index}`,
  index,
  phase: 'default',
  kind: 'script',
  state: 'working',
  paused: false,
  task: String(index),
  title,
  attempt: 1,
  worktree: '/x',
  branch: `furrow/default/agent-${index}/${index}`,
  model: null,
  effort: null,
  isolation: 'guard',
  detail: null,
  says: null,
  until: null,
  since: '2030-01-01T00:00:00Z',
});

const event = (words: string): FarmEvent => ({
  seq: 1,
  at: '2030-01-01T00:00:00Z',
  kind: 'x',
  agent: 'ada',
  task: '1',
  attempt: 1,
  text: words,
  data: {},
});

it('the live view is never taller or wider than the terminal, or it could not be drawn over', () => {
  const sizes = fc.record({ columns: fc.integer({ min: 20, max: 200 }), rows: fc.integer({ min: 12, max: 60 }) });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), fc.array(text, { maxLength: 5 }), sizes, (count, words, size) => {
      const agents = Array.from({ length: count }, (_, i) => agent(i, words[0] ?? ''));
      const status = { ...emptyStatus, agents, tasks: {}, attention: [] };
      const events = words.map((one) => event(one.replaceAll(/[\n\r\t\p{Cc}]/gu, ' ')));
      const lines = frame({ status, landed: 1, total: 3, phase: 'default', events, note: 'stopping' }, 0, 1000, size, plain);
      expect(lines.length).toBeLessThan(size.rows);
      for (const line of lines) expect(width(line)).toBeLessThan(size.columns);
    }),
    { numRuns: 60 },
  );
});

describe('status for people', () => {
  it('shows agents, counts, the queue, and how to answer each question', () => {
    const now = Date.parse('2030-01-01T00:01:05Z');
    const since = '2030-01-01T00:00:00Z';
    const attention = [
      {
        id: '3',
        level: 'task' as const,
        kind: 'parked',
        subject: 'default/7',
        reason: 'failed 3 times',
        since,
        agent: null,
        request: null,
        output: null,
        expires: null,
        work: null,
      },
    ];
    const queue = { ...emptyStatus.queue, depth: 2, checking: 2, setups: 1, head: 'a'.repeat(40), waiting: 'main has local changes' };
    expect(
      statusLines({ ...emptyStatus, tasks: { landed: 1, ready: 1 }, agents: [agent(1, 'Parse dates')], queue, attention }, now, plain),
    ).toEqual([
      'farm  running  pid 7, furrow 0.1.0',
      '',
      '#  agent    state    task           since  branch',
      '1  agent-1  working  1 Parse dates  1m05s  furrow/default/agent-1/1',
      '',
      'tasks  ██████████░░░░░░░░░░ 1/2  1 ready, 1 landed',
      'queue  2 entries, 1 check running, 1 in set-up  main at aaaaaaaaa  not yet published: main has local changes',
      'isolation: guard',
      '',
      '1 thing needs you',
      '  ? default/7: failed 3 times  parked, 1m05s',
      '    furrow answer 3 "what to do differently"',
      '    furrow retry default/7',
      '    furrow why default/7',
      '    furrow answer 3 "give up"',
    ]);
  });

  it('has no colours unless asked for', () => {
    expect(statusLines({ ...emptyStatus, tasks: {}, agents: [], attention: [] }, 0, plain).join('')).not.toContain('\x1b');
    expect(statusLines({ ...emptyStatus, tasks: {}, agents: [], attention: [] }, 0, paint(true)).join('')).toContain('\x1b[');
  });
});
