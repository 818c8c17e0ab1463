import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY, feed, flush, type Press } from '../support/window-agent/composer.ts';
import { readFaults } from '../support/window-agent/faults.ts';

const NONE = readFaults('');

function type(chunks: readonly string[], faults = NONE, gap = 100): { text: string; pressed: Press[] } {
  let composer = EMPTY;
  const pressed: Press[] = [];
  for (const [n, chunk] of chunks.entries()) {
    const next = feed(composer, chunk, n * gap, faults);
    composer = next.composer;
    pressed.push(...next.pressed);
  }
  return { text: composer.text, pressed };
}

describe('the input line', () => {
  it('takes a paste whole, however its bytes arrive', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\x1b') && text.trim() !== ''),
        fc.integer({ min: 2, max: 9 }),
        (text, size) => {
          const bytes = `\x1b[200~${text}\x1b[201~\r`;
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.slice(n * size, (n + 1) * size));
          expect(type(chunks).pressed).toEqual([{ on: 'submit', text }]);
        },
      ),
    ));

  it('knows Escape from the keys that begin with it', () => {
    expect(type(['a\x1b[A\x1b[1;5C\x1bOBb'])).toEqual({ text: 'ab', pressed: [] });
    const lone = feed(EMPTY, '\x1b', 0, NONE).composer;
    expect(flush(lone).pressed).toEqual([{ on: 'escape' }]);
  });

  it('loses the Enters it is told to, and takes one in a burst as part of the text', () => {
    expect(type(['hi', '\r', '\r', '\r'], readFaults('swallowFirst=2')).pressed).toHaveLength(1);
    expect(type(['hi\r', '\r'], readFaults('burstMs=50')).pressed).toEqual([{ on: 'submit', text: 'hi\n' }]);
    expect(() => readFaults('swallow=x')).toThrow('not a fault');
  });

  it('deletes by whole characters, and quits only when it is empty', () => {
    expect(type(['ab👍\x7f\x7f'])).toEqual({ text: 'a', pressed: [] });
    expect(type(['a\x03\x03'])).toEqual({ text: '', pressed: [{ on: 'quit' }] });
  });
});
