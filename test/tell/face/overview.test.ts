import fc from 'fast-check';
import { expect, it } from 'vitest';
import { width } from '../../../src/platform/text-width.ts';
import { overview } from '../../../src/tell/face/overview.ts';
import type { View } from '../../../src/tell/face/view.ts';

const at = new Date(2026, 0, 5, 14, 2).toISOString();

/** A view as far as the picture goes. */
function view(
  parts: Partial<Record<'agents' | 'attention' | 'entries' | 'landings', readonly unknown[]>> & { halted?: string } = {},
): View {
  const { halted = null, ...lists } = parts;
  const status = { farm: { state: 'running', stopped: null }, tasks: { landed: 5, ready: 7 }, queue: { depth: 2, halted, paused: false } };
  const empty = { agents: [], tasks: [], attention: [], entries: [], landings: [], problems: [], seq: 1 };
  return { ...empty, ...lists, status, queue: { halted } } as unknown as View;
}

const agent = (index: number, more = {}) => ({
  ...{ name: `agent-${index}`, index, state: 'working', detail: null, paused: false, task: String(index), title: 'Parse it' },
  ...more,
});
const question = (id: number, reason: string) => ({
  id: String(id),
  kind: 'ask',
  subject: '4',
  agent: 'agent-1',
  reason,
  since: at,
  work: { task: '4', title: 'Show it' },
});
const entry = (task: string, state: string) => ({ task, title: 'Read it', state, code: null, reason: null });
const landing = { at, tasks: ['3', '5'], titles: ['Write it', 'Sort it'], commit: '0123456789', published: false };

const texts = (of: View, room = { columns: 80, rows: 24 }, help?: string[]) => overview(of, room, help).map(({ text }) => text);

it('shows what needs a person first, then agents, queue and landings', () => {
  const all = view({
    attention: [question(1, 'red or blue?')],
    agents: [agent(1, { state: 'waiting', detail: 'question' }), agent(2, { paused: true, task: null })],
    entries: [entry('3', 'landed'), entry('7', 'checking')],
    landings: [landing],
  });
  expect(texts(all)).toEqual([
    ' 5/12 landed · 2 agents · 2 in queue · 1 needs you',
    '',
    ' needs you',
    ' ! 14:02  agent-1, 4 · Show it (ask): red or blue?',
    '',
    ' agents',
    ' 1  agent-1  waiting: question     1 · Parse it',
    ' 2  agent-2  working, paused',
    '',
    ' queue',
    ' checking        7 · Read it',
    '',
    ' landed lately',
    '   14:02  01234567  3 · Write it, 5 · Sort it  not yet published',
  ]);
});

it('counts what has no room, and leaves the help out before it leaves out the farm', () => {
  const full = view({ attention: Array.from({ length: 30 }, (_, n) => question(n, 'red or blue?')), agents: [agent(1)] });
  const lines = texts(full, { columns: 80, rows: 12 }, ['help']);
  expect(lines).toContain('   and 27 more');
  expect(lines.at(-1)).toBe('help');
  expect(texts(full, { columns: 80, rows: 9 }, ['help'])).not.toContain('help');
});

it('cuts titles where there is little room, and nothing else', () => {
  const long = 'Check the addresses of people before a parcel is sent to them';
  const lines = texts(
    view({
      attention: [{ ...question(1, 'red or blue?'), work: { task: '4', title: long } }],
      landings: [{ ...landing, tasks: ['3'], titles: [long] }],
    }),
    { columns: 60, rows: 24 },
  );
  expect(lines).toContain(' ! 14:02  agent-1, 4 · Check the addre… (ask): red or blue?');
  expect(lines).toContain('   14:02  01234567  3 · Check the addres…  not yet published');
});

it('says why the queue halted', () => {
  expect(texts(view({ halted: 'main is red' }))).toContain(' ! halted: main is red');
});

it('never has a column or a row more than there is, nor a control of anybody', () => {
  const hostile = fc.string({ unit: 'binary', maxLength: 60 });
  const any = fc.record({
    words: fc.array(hostile, { maxLength: 12 }),
    columns: fc.integer({ min: 1, max: 120 }),
    rows: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(any, ({ words, columns, rows }) => {
      const of = view({
        attention: words.map((text, n) => ({ ...question(n, text), subject: text, work: text === '' ? null : { task: '4', title: text } })),
        agents: words.map((text, n) => agent(n, { title: text })),
        entries: words.map((text) => ({ ...entry(text, 'held'), reason: text })),
        landings: words.map((text) => ({ ...landing, tasks: [text], titles: [text] })),
      });
      const lines = texts(of, { columns, rows }, ['help']);
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) {
        expect(width(line)).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
    }),
    { numRuns: 300 },
  );
});
