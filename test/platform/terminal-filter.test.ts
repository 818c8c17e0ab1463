import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { terminalFilter } from '../../src/platform/terminal-filter.ts';

const filtered = (text: string) => terminalFilter().feed(text);

describe('of what a program prints', () => {
  it.each([
    ['text', 'héllo 👩‍🌾\r\n\tx\b', 'héllo 👩‍🌾\r\n\tx\b'],
    ['colours', '\x1b[1;38;2;1;2;3mx\x1b[4:3my\x1b[m', '\x1b[1;38;2;1;2;3mx\x1b[4:3my\x1b[m'],
    ['the cursor', '\x1b[2J\x1b[5;10H\x1b7\x1b8\x1b[?25l\x1b[6 q', '\x1b[2J\x1b[5;10H\x1b7\x1b8\x1b[?25l\x1b[6 q'],
    ['the other screen', '\x1b[?1049h\x1b[?2004h', '\x1b[?1049h\x1b[?2004h'],
    ['lines', '\x1b(0lqk\x1b(B', '\x1b(0lqk\x1b(B'],
    ['a colour in eight bits', '\x9b31mred', '\x1b[31mred'],
  ])('%s are kept', (_name, text, kept) => {
    expect(filtered(text)).toBe(kept);
  });

  it.each([
    ['the clipboard', 'a\x1b]52;c;cHdu\x07b', 'ab'],
    ['a title', 'a\x1b]0;x\x1b\\b\x1bkname\x1b\\c', 'abc'],
    ['a link', '\x1b]8;;http://evil.example\x07click\x1b]8;;\x07', 'click'],
    ['device control', 'a\x1bP$q"p\x1b\\b', 'ab'],
    ['messages to nobody', 'a\x1b_x\x1b\\b\x1b^y\x1b\\c\x1bXz\x1b\\d', 'abcd'],
    ['the same in eight bits', 'a\x9d52;c;x\x9cb\x90q\x9cc', 'abc'],
    ['requests for an answer', 'a\x1b[6n\x1b[c\x1b[>c\x1b[5n\x1b[?6n\x1b[>q\x1b[?1$pb', 'ab'],
    ['orders to the window', 'a\x1b[8;1;1t\x1b[21tb', 'ab'],
    ['mouse and focus', '\x1b[?1000h\x1b[?1003;1006h\x1b[?1004hx', 'x'],
    ['the bell', 'a\x07b', 'ab'],
    ['text that reads backwards', 'a\u202ecod\u2066x', 'acodx'],
    ['a string that never ends', 'a\x1b]52;c;xxxx', 'a'],
    ['a sequence without end', `a\x1b[${'1'.repeat(1000)}m`, expect.not.stringContaining('\x1b')],
  ])('%s goes', (_name, text, kept) => {
    expect(filtered(text)).toEqual(kept);
  });

  /** Pieces of sequences, whole and broken, with text between them. */
  const pieces = fc.constantFrom(
    ...[
      '\x1b',
      '\x1b[',
      '\x1b]',
      '\x1bP',
      '\x1b_',
      '\x1b^',
      '\x1bX',
      '\x1bk',
      '\x9b',
      '\x9d',
      '\x90',
      '\x9c',
      '\x1b\\',
      '\x07',
      '\x18',
      '\n',
    ],
    ...[
      '52;c;',
      '0;',
      '8;;',
      '?',
      '>',
      '1049',
      '31',
      ';',
      ':',
      'm',
      'h',
      'n',
      'c',
      't',
      'q',
      'H',
      ' ',
      '$',
      '!',
      'p',
      '(',
      '0',
      'é',
      '\u202e',
      '👩‍🌾',
      'x',
    ],
  );
  const output = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 40 }).map((parts) => parts.join(''));

  /** Known again by a reader of its own: each escape is one of those that draw. */
  const DRAWS =
    /^(?:[^\x00-\x07\x10-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\x1b(?:[78DEHMc=>]|#8|[()][0AB]|\[(?:[\d;:]*[@-ILMPSTXZ`abd-gmrsuJK]|(?:4|20)(?:;(?:4|20))*[hl]|\?[\d;]*[JKhl]|!p|\d* q)))*$/u;

  it('nothing is left that reaches beyond the picture, whatever it is', () => {
    fc.assert(
      fc.property(output, (text) => {
        expect(filtered(text)).toMatch(DRAWS);
        expect(filtered(text)).not.toMatch(/\x1b\[\?(?:\d*;)*(?:9|1000|1002|1003|1004|1005|1006|1015|1016)(?:;\d*)*h/);
      }),
      { numRuns: 3000 },
    );
  });

  it('pieces of any size come out as the whole does', () => {
    fc.assert(
      fc.property(output, fc.array(fc.nat(5)), (text, sizes) => {
        const filter = terminalFilter();
        // Characters are whole: bytes are put together before.
        const chars = [...text];
        let out = '';
        for (const size of sizes) out += filter.feed(chars.splice(0, size).join(''));
        expect(out + filter.feed(chars.join(''))).toBe(filtered(text));
      }),
      { numRuns: 3000 },
    );
  });
});
