import fc from 'fast-check';
import { expect, it } from 'vitest';
import { box, over } from '../../../src/faces/top/box.ts';
import { cells, type Line, slice, span, toWidth, widthOf, words, wrap } from '../../../src/faces/top/line.ts';
import { width } from '../../../src/platform/text-width.ts';

const text = (line: Line) => line.map((one) => one.text).join('');

it('cuts by columns, not by letters, and fills what is left', () => {
  expect(text(toWidth([words('日本語')], 5))).toBe('日本…');
  expect(text(toWidth([words('ab')], 4))).toBe('ab  ');
  expect(text(slice([span('a日b')], 0, 2))).toBe('a ');
  expect(text(cells([[span('one')], 2], [[span('two')], 5]))).toBe('o… two  ');
});

it('shows what a hostile title would do to a terminal, and does not do it', () => {
  expect(words('\x1b]52;c;eA==\x07\x1b[31mred\u202e\n').text).toBe('␛]52;c;eA==␇␛[31mred\\u202e⏎');
});

it('every line is exactly as wide as it was asked for, whatever is in it', () => {
  const any = fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { maxLength: 4 });
  fc.assert(
    fc.property(any, fc.integer({ min: 0, max: 40 }), (texts, wide) => {
      const line = texts.map((one) => words(one));
      expect(widthOf(toWidth(line, wide))).toBe(wide);
      const framed = box({ title: texts[0] ?? '', note: '', focused: true, size: { width: wide + 8, height: 3 }, lines: [line] });
      for (const row of framed.slice(1)) expect(widthOf(row)).toBe(wide + 8);
    }),
  );
});

it('a capture in front covers exactly its own columns', () => {
  const canvas = [toWidth([words('abc日本defgh')], 12), toWidth([], 12)];
  const rows = over(canvas, [[span('XX')]], 4, 0);
  // Half of a wide letter on either side is a space.
  expect(text(rows[0]!)).toBe('abc XX defgh');
  expect(rows.map((row) => width(text(row)))).toEqual([12, 12]);
});

it('breaks long texts at spaces, and long words where they must be', () => {
  expect(wrap('one two three', 8).map(text)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij', 4).map(text)).toEqual(['abcd', 'efgh', 'ij']);
  expect(wrap('a\nb', 4).map(text)).toEqual(['a', 'b']);
  expect(
    wrap('日本語日本語', 5)
      .map(text)
      .every((row) => width(row) <= 5),
  ).toBe(true);
});
