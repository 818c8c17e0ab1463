import { EventEmitter } from 'node:events';
import type { ReadStream } from 'node:tty';
import { expect, it } from 'vitest';
import { type Press, readMouse } from '../../../src/faces/top/key-press.ts';
import { Keyboard } from '../../../src/faces/top/keyboard.ts';

/** A terminal whose keys are typed by the test. */
function typed() {
  const terminal = new EventEmitter() as unknown as ReadStream;
  for (const name of ['setRawMode', 'setEncoding', 'resume', 'pause'] as const) terminal[name] = () => terminal;
  const presses: (Press | string)[] = [];
  const keyboard = new Keyboard(terminal, (press) => presses.push(press.on === 'key' ? press.name : press));
  keyboard.listen();
  return { keyboard, presses, type: (text: string) => terminal.emit('data', text) };
}

it.each([
  ['a letter', 'j', ['j']],
  ['a capital letter', 'P', ['P']],
  ['a space', ' ', [' ']],
  ['an arrow', '\u001b[B', ['down']],
  ['an arrow of a terminal in its other mode', '\u001bOA', ['up']],
  ['a page', '\u001b[5~\u001b[6~', ['pgup', 'pgdn']],
  ['the ends of a list', '\u001b[H\u001b[F\u001b[1~\u001b[4~', ['home', 'end', 'home', 'end']],
  ['Tab and Shift-Tab', '\t\u001b[Z', ['tab', 'shift-tab']],
  ['Ctrl-C', '\u0003', ['ctrl-c']],
  ['the key that deletes', '\u007f\b\u001b[3~', ['backspace', 'backspace', 'backspace']],
  ['a text that was pasted', 'no: 日本👍\r\n', ['n', 'o', ':', ' ', '日', '本', '👍', 'enter', 'enter']],
  ['a bracket', '[', ['[']],
  ['a sequence that nobody knows', '\u001b[27;5;9~', []],
  ['a key with Alt', '\u001bx', []],
])('%s', (_what, text, wanted) => {
  const { presses, type } = typed();
  type(text);
  expect(presses).toEqual(wanted);
});

it('an escape is a key when nothing follows it, and a report of the mouse may come in two parts', async () => {
  const { presses, type } = typed();
  type('\u001b');
  await expect.poll(() => presses).toEqual(['esc']);
  type('j\u001b[<0;11');
  type(';5Mk');
  expect(presses).toEqual(['esc', 'j', { on: 'click', x: 10, y: 4 }, 'k']);
});

it('hears nothing while the terminal is with somebody else', () => {
  const { keyboard, presses, type } = typed();
  keyboard.rest();
  type('j');
  expect(presses).toEqual([]);
});

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
