import { describe, expect, it } from 'vitest';
import { stackOf } from '../../../src/tell/face/stack.ts';
import type { QueueEntry, View } from '../../../src/tell/face/view.ts';

const AT = '2026-03-01T10:00:00.000Z';

const entry = (task: string, state: QueueEntry['state'] = 'queued', more: Partial<QueueEntry> = {}): QueueEntry => ({
  task,
  title: `task ${task}`,
  phase: 'p1',
  attempt: 1,
  sha: task.repeat(8),
  state,
  code: null,
  reason: null,
  approved: null,
  at: AT,
  target: 'main',
  checks: null,
  ...more,
});

const check = (slot: string, ...tasks: string[]) => ({
  slot,
  host: 'here',
  check: 'test',
  tree: 'ab',
  tasks,
  since: AT,
  log: '/x',
  setup: false,
  hanging: null,
  unchanged: [],
});

function stack(entries: QueueEntry[], checks: ReturnType<typeof check>[] = [], slots = 2) {
  const queue = { target: 'main', head: 'aa', published: 'aa', waiting: null, draining: null, slots, paused: false, halted: null };
  return stackOf({ entries, queue: { ...queue, output: null, checks } as View['queue'] });
}

describe('the stack', () => {
  it('has the chain first, in the order of the longest tree, and says which slot checks what', () => {
    const drawn = stack(
      [entry('1'), entry('2', 'checking'), entry('3', 'checking'), entry('4', 'checking')],
      [check('s1', '4', '2'), check('s2', '4', '2', '3')],
    );
    expect(drawn.rows.map((row) => [row.entry.task, row.place, row.slots])).toEqual([
      ['4', 'checking', ['s1', 's2']],
      ['2', 'checking', ['s1', 's2']],
      ['3', 'checking', ['s2']],
      ['1', 'queued', []],
    ]);
    expect(drawn.checks.map(({ rows }) => rows)).toEqual([
      [0, 1],
      [0, 1, 2],
    ]);
    expect(drawn.free).toBe(0);
  });

  it('tells entries that need approval, are on hold or in quarantine apart, and puts what lands later higher', () => {
    const drawn = stack([
      entry('1', 'quarantined'),
      entry('2', 'held'),
      entry('3', 'held', { code: 'approval' }),
      entry('4'),
      entry('5', 'checking', { code: 'landing' }),
    ]);
    expect(drawn.rows.map((row) => `${row.entry.task} ${row.place}`)).toEqual([
      '5 landing',
      '3 approval',
      '4 queued',
      '2 held',
      '1 quarantined',
    ]);
  });

  it('keeps a quarantined entry out of the chain while it is checked alone', () => {
    const drawn = stack([entry('1', 'quarantined'), entry('2', 'checking')], [check('s1', '1'), check('s2', '2')]);
    expect(drawn.rows.map((row) => row.entry.task)).toEqual(['2', '1']);
    expect(drawn.checks.map(({ rows }) => rows)).toEqual([[1], [0]]);
  });

  it('shows the head under check, an entrant of a race without a row, and the free slots', () => {
    const drawn = stack([], [check('s1'), check('s2', 'race-7')], 4);
    expect(drawn.checks.map(({ tasks, rows }) => [tasks, rows])).toEqual([
      [[], []],
      [['race-7'], []],
    ]);
    expect(drawn.free).toBe(2);
  });

  it('lists what was sent back, unless it is in the queue again or landed', () => {
    const drawn = stack([
      entry('1', 'conflict'),
      entry('2', 'rejected', { at: '2026-03-01T11:00:00.000Z' }),
      entry('3', 'rejected'),
      entry('3', 'queued', { attempt: 2 }),
      entry('4', 'conflict'),
      entry('4', 'landed', { attempt: 2 }),
    ]);
    expect(drawn.back.map((row) => [row.entry.task, row.place])).toEqual([
      ['2', 'rejected'],
      ['1', 'conflict'],
    ]);
    expect(drawn.rows.map((row) => row.entry.task)).toEqual(['3']);
  });
});
