import { expect, it } from 'vitest';
import { LiveScreen } from '../../../src/faces/top/live-screen.ts';

/** The rows after these items, once the terminal has read all of them. */
async function rowsAfter(...items: Parameters<LiveScreen['take']>[0][]) {
  const read = Promise.withResolvers<void>();
  let left = items.length;
  const screen = new LiveScreen(() => {
    if (--left === 0) read.resolve();
  });
  for (const item of items) screen.take(item);
  await read.promise;
  return screen.rows();
}

const texts = (rows: Awaited<ReturnType<typeof rowsAfter>>) => rows.map((row) => row.map(({ text }) => text).join(''));

it('shows what a terminal would show, with its colours, without blanks at the ends', async () => {
  const rows = await rowsAfter(
    { size: { cols: 20, rows: 5 } },
    { reset: 'one\r\n\x1b[1;31mred\x1b[0m 日本' },
    { data: '\x1b[1;1HONE\x1b[4;3H' },
  );
  expect(texts(rows)).toEqual(['ONE', 'red 日本']);
  expect(rows[1]).toMatchObject([
    { text: 'red', sgr: '1;38;5;1' },
    { text: ' 日本', sgr: '' },
  ]);
});

it('a reset begins anew', async () => {
  expect(texts(await rowsAfter({ reset: 'old\r\nold' }, { reset: 'new' }))).toEqual(['new']);
});

it('nothing but letters and colours is left of what an agent writes', async () => {
  const rows = await rowsAfter({ reset: '\x1b]52;c;eA==\x07\x1b]0;owned\x07a\u202eb\x1b[?1049h\x1bPq\x1b\\c\x9b31md' });
  expect(texts(rows).join('\n')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  expect(rows.flat().every(({ sgr }) => /^[\d;]*$/.test(sgr ?? ''))).toBe(true);
});
