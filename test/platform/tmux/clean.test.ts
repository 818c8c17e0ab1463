import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clean, stripControls } from '../../../src/platform/strip-controls.ts';

describe('clean', () => {
  it.each([
    ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
    ['8-bit CSI', '\x9b31mred', 'red'],
    ['a clipboard write', 'a\x1b]52;c;ZXZpbA==\x07b', 'ab'],
    ['a link', '\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['8-bit OSC', '\x9d0;title\x9cb', 'b'],
    ['DCS, APC, PM and SOS', '\x1bPx\x1b\\1\x1b_x\x1b\\2\x1b^x\x1b\\3\x1bXx\x1b\\4', '1234'],
    ['a sequence that never ends, which hides its own line only', '\x1b]0;abc\nnext', '\nnext'],
    ['an escape broken up by a control', '\x1b\x00[31mx', '[31mx'],
    ['carriage returns that overwrite', 'safe\rrm -rf\r\nnext', 'saferm -rf\nnext'],
    ['backspaces and bells', 'a\x08\x07b', 'ab'],
    ['text that reads backwards', 'a\u202eb\u2066c\u200bd', 'abcd'],
    ['nothing from plain text', 'é ☃ 中\tx\n', 'é ☃ 中\tx\n'],
  ])('removes %s', (_what, hostile, plain) => expect(clean(hostile)).toBe(plain));

  it('caps a line at 4 KiB, never inside a character', () => {
    const cut = clean(`a${'é'.repeat(5000)}\nshort`);
    expect(cut.split('\n').map((line) => Buffer.byteLength(line))).toEqual([4095, 5]);
    expect(cut).not.toContain('\ufffd');
  });

  it('leaves no control whatever comes in, and cleaning again changes nothing', () => {
    const pieces = fc.constantFrom(
      '\x1b',
      '[',
      ']',
      '\\',
      '\x07',
      '\x9b',
      '\x9c',
      '\x9d',
      'P',
      ';',
      '3',
      'm',
      '\n',
      '\t',
      '\r',
      '\u202e',
      'é',
      '\ud800',
    );
    fc.assert(
      fc.property(
        fc.array(pieces).map((parts) => parts.join('')),
        (text) => {
          expect(clean(text)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
          expect(clean(clean(text))).toBe(clean(text));
        },
      ),
    );
  });
});

it('what is pasted keeps every character but controls', () => {
  expect(stripControls('a\x1b[201~\r\x03b\n\tc\u202e\x9b')).toBe('a[201~b\n\tc\u202e');
});
