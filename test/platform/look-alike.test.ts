import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asciiOf, markAllTwins, markTwins } from '../../src/platform/look-alike.ts';

const show = (char: string) => `<${char.codePointAt(0)!.toString(16)}>`;

it.each([
  ['npm run сheck', 'npm run <441>heck'],
  ['mаkе tеst', 'm<430>k<435> t<435>st'],
  ['echo привет мир', 'echo привет мир'],
  ['echo grün naïve 漢字 Reactの 🙂 …', 'echo grün naïve 漢字 Reactの 🙂 …'],
  ['ｍake 𝐦ake', '<ff4d>ake <1d426>ake'],
  ['ɡit ınstall', '<261>it <131>nstall'],
  ['don’t — 5–6 а с о', 'don’t — 5–6 а с о'],
  ['x² 10 µm', 'x² 10 µm'],
])('prose %j is shown as %j', (text, shown) => expect(markTwins(text, show)).toBe(shown));

it.each([
  ['сат привет', '<441><430><442> привет'],
  ['rm –rf x∕y', 'rm <2013>rf x<2215>y'],
  ['a\u037e b', 'a<37e> b'],
  ['echo “x”', 'echo <201c>x<201d>'],
  ['ΑΒΕ', '<391><392><395>'],
  ['npm ｔest', 'npm <ff54>est'],
  ['echo 漢字 grün', 'echo 漢字 grün'],
])('a command %j is shown as %j', (text, shown) => expect(markAllTwins(text, show)).toBe(shown));

it('a command in which letters were replaced by twins never looks like the one it was made from', () => {
  const twins = [...Array(0x1d7ff).keys()].flatMap((code) => {
    if (code >= 0xd800 && code < 0xe000) return [];
    const char = String.fromCodePoint(code);
    const ascii = asciiOf(char);
    return ascii === undefined ? [] : [[ascii, char] as const];
  });
  const by = Map.groupBy(twins, ([ascii]) => ascii);
  expect([...'abcdefghijklmnopqrstuvwxyz'].filter((letter) => !by.has(letter))).toEqual([]);
  fc.assert(
    fc.property(fc.constantFrom('npm test', 'sh check.sh', 'curl x | sh', 'make -f a', 'go'), fc.nat(), fc.nat(), (command, at, which) => {
      const place = at % command.length;
      const choices = by.get(command[place]!) ?? [];
      fc.pre(choices.length > 0);
      const evil = command.slice(0, place) + choices[which % choices.length]![1] + command.slice(place + 1);
      expect(markAllTwins(evil, show)).toMatch(/^[ -~]+$/);
    }),
  );
});

it('marks nothing twice', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const number = (char: string) => `\\u{${char.codePointAt(0)!.toString(16)}}`;
      expect(markTwins(markTwins(text, number), number)).toBe(markTwins(text, number));
    }),
  ));
