import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atWords } from '../../../src/faces/cli/view/at-words.ts';
import { width } from '../../../src/faces/cli/view/columns.ts';

it('a line is broken between words, below its own beginning', () => {
  expect(atWords('  ? 12: the check fails on the merged tree', 20)).toEqual(['  ? 12: the check', '    fails on the', '    merged tree']);
  expect(atWords('short', 20)).toEqual(['short']);
  expect(atWords('a averyveryverylongword b', 8)).toEqual(['a', '  averyveryverylongword', '  b']);
  expect(atWords('  \u001b[2m│\u001b[22m one two', 9)).toEqual(['  \u001b[2m│\u001b[22m one', '  \u001b[2m│\u001b[22m   two']);
  expect(atWords('\u001b[2mone two\u001b[22m', 5)).toEqual(['\u001b[2mone', '  two\u001b[22m']);
});

it('no word is ever broken or lost, and a row is too long only by one word', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '漢', '-'), minLength: 1, maxLength: 9 }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(words, fc.integer({ min: 6, max: 40 }), (some, room) => {
      const rows = atWords(some.join(' '), room);
      expect(rows.flatMap((row) => row.trim().split(' '))).toEqual(some);
      for (const row of rows) expect(width(row) <= room || !row.trim().includes(' ')).toBe(true);
    }),
  );
});
