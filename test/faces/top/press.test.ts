import { expect, it } from 'vitest';
import { readMouse } from '../../../src/faces/top/mouse.ts';
import { type InkKey, pressesOf } from '../../../src/faces/top/press.ts';

const NONE: InkKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
};

const names = (input: string, key: Partial<InkKey> = {}) =>
  pressesOf(input, { ...NONE, ...key }).map((press) => (press.on === 'key' ? press.name : press));

it.each([
  ['a letter', 'j', {}, ['j']],
  ['an arrow', '', { downArrow: true }, ['down']],
  ['Shift-Tab', '', { tab: true, shift: true }, ['shift-tab']],
  ['Ctrl-C', 'c', { ctrl: true }, ['ctrl-c']],
  ['the key that deletes', '', { delete: true }, ['backspace']],
  ['a text that was pasted', 'no: 日本\r', {}, ['n', 'o', ':', ' ', '日', '本', 'enter']],
  ['a bracket', '[', {}, ['[']],
  ['a sequence that nobody knows', '[27;5;9~', {}, []],
  ['a key with Alt', 'x', { meta: true }, []],
])('%s', (_what, input, key, wanted) => expect(names(input, key)).toEqual(wanted));

it('reads clicks and the wheel, and nothing when a button is let go', () => {
  const read = (text: string) => readMouse(text).presses;
  expect(read('\u001b[<0;11;5M')).toEqual([{ on: 'click', x: 10, y: 4 }]);
  expect(read('\u001b[<0;11;5m')).toEqual([]);
  expect(read('\u001b[<64;1;2M')).toEqual([{ on: 'wheel', by: -1, x: 0, y: 1 }]);
  expect(read('\u001b[<65;1;2M')).toEqual([{ on: 'wheel', by: 1, x: 0, y: 1 }]);
});

it('leaves the keys between reports of the mouse, and waits for the end of a report', () => {
  expect(readMouse('j\u001b[<0;1;1Mk\u001b[A\u001b[<6')).toEqual({
    presses: [{ on: 'click', x: 0, y: 0 }],
    keys: 'jk\u001b[A',
    begun: '\u001b[<6',
  });
});
