import fc from 'fast-check';
import { expect, it } from 'vitest';
import { screensOf } from '../../../src/faces/cli/screens.ts';

const size = { rows: 10, columns: 20 };

it('every screen fits, and together they hold every letter in order', () =>
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 500 })), (lines) => {
      const screens = screensOf(lines, size);
      for (const screen of screens) {
        const rows = screen.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / size.columns)), 0);
        expect(rows).toBeLessThanOrEqual(size.rows - 2);
      }
      expect(screens.flat().join('')).toBe(lines.join(''));
    }),
  ));

it('a few lines are one screen', () => expect(screensOf(['a', 'b'], size)).toEqual([['a', 'b']]));
