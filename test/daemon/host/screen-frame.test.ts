import { expect, it } from 'vitest';
import { drawChange, firstFrame, nextFrame } from '../../../src/daemon/host/screens/frame.ts';
import type { PaneCells } from '../../../src/platform/tmux/pane-cells.ts';

const line = (n: number) => `line ${n}`;

/** A pane of five rows that has printed so many lines, and still has some of its past. */
function pane(printed: number, history: number, past = 3): PaneCells {
  const top = printed - 5;
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, at) => line(from + at));
  const cursor = { x: 0, y: 4, shown: true };
  return { cols: 80, rows: 5, gone: history, past: rows(top - past, past), visible: rows(top, 5), cursor, alternate: false, keys: '' };
}

it('a pane that forgets a part of its full past goes on where it was', () => {
  const before = firstFrame(pane(5000, 4995), 1);
  const after = nextFrame(before, pane(5002, 4497));
  expect(after).toMatchObject({ roll: 1, grown: before.grown + 2 });
  expect(after.past).toEqual([...before.past, line(4995), line(4996)]);
  expect(drawChange(before, after)).toContain(`\r\n${line(5000)}\r\n${line(5001)}`);
  // And the next one by its count again.
  expect(nextFrame(after, pane(5003, 4498))).toMatchObject({ roll: 1, grown: before.grown + 3 });
});

it('a pane that forgot more than a capture shows, or all, begins a new roll', () => {
  const before = firstFrame(pane(5000, 4995), 1);
  expect(nextFrame(before, pane(5400, 4800)).roll).toBe(2);
  expect(nextFrame(before, pane(5, 0, 0)).roll).toBe(2);
  expect(drawChange(before, nextFrame(before, pane(5, 0, 0)))).toBeUndefined();
});
