import fc from 'fast-check';
import { expect, it } from 'vitest';
import { beginning, visible } from '../../src/platform/visible.ts';

it.each([
  ['rm -rf x \x1b[8m; echo hidden', 'rm -rf x ␛[8m; echo hidden'],
  ['git status\n  ? 2: all is well', 'git status⏎  ? 2: all is well'],
  ['a\tb\rc\0d\x7fe\x9b1m', 'a⇥b␍c␀d␡e\\u009b1m'],
  ['ls \u202egnp.exe', 'ls \\u202egnp.exe'],
  ['a\u200bb\u00a0c\u3164d\u2028e', 'a\\u200bb\\u00a0c\\u3164d\\u2028e'],
  ['tag\u{e0041}', 'tag\\u{e0041}'],
  ['half \ud800', 'half \\ud800'],
  [`git status${' '.repeat(200)}; rm -rf x`, 'git status ␠×200 ; rm -rf x'],
  ['m\u0430ke т\u0435st привет', 'm\\u0430ke \\u0442\\u0435st привет'],
  ['plain äöü 漢字 🙂', 'plain äöü 漢字 🙂'],
])('shows %j', (text, shown) => expect(visible(text)).toBe(shown));

it('shows every character, and the same when it is shown again', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = visible(text);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(shown.length).toBeGreaterThanOrEqual(text.replace(/ {16,}/g, '').length);
      expect(visible(shown)).toBe(shown);
    }),
  ));

it('says how much is left out and where it is, and never cuts a character in two', () => {
  expect(beginning('short', 10, 'furrow next')).toBe('short');
  expect(beginning('x'.repeat(3234), 2000, 'furrow next 4 --full')).toBe(
    `${'x'.repeat(2000)}… 1,234 more characters: furrow next 4 --full`,
  );
  expect(beginning('ab🙂cd', 3, 'y')).toBe('ab… 4 more characters: y');
});
