/** One key, by its letter or its name; or something of the mouse, with the cell it happened in. */
export type Press =
  | { readonly on: 'key'; readonly name: string }
  | { readonly on: 'click'; readonly x: number; readonly y: number }
  | { readonly on: 'wheel'; readonly by: 1 | -1; readonly x: number; readonly y: number };

/** A key as Node's parser describes it. */
export interface Pressed {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
  readonly shift?: boolean | undefined;
}

const NAMES: Readonly<Record<string, string>> = {
  ...{ up: 'up', down: 'down', left: 'left', right: 'right', pagedown: 'pgdn', pageup: 'pgup', home: 'home', end: 'end' },
  ...{ return: 'enter', enter: 'enter', escape: 'esc', backspace: 'backspace' },
  // Most terminals send this for the key that deletes backwards.
  delete: 'backspace',
};

/** The key of one report of the keyboard. An unknown sequence is neither a key nor text. */
export function pressOf(text: string | undefined, { name = '', ctrl, meta, shift }: Pressed): Press | undefined {
  const key = (of: string): Press => ({ on: 'key', name: of });
  if (name === 'tab') return key(shift ? 'shift-tab' : 'tab');
  const named = NAMES[name];
  if (named !== undefined) return key(named);
  if (ctrl) return key(`ctrl-${name}`);
  return meta || text === undefined || text < ' ' ? undefined : key(text);
}

/** Clicks and the wheel, reported in cells; and back to how it was. */
export const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
export const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';

/** Reports of the mouse as terminals send them with mode 1006. */
const REPORT = /\u001b\[<(\d+);(\d+);(\d+)([Mm])/g;
const BEGUN = /\u001b\[<[\d;]*$/;
const WHEEL = 64;

/** The events of the mouse in a text, and the rest of it: keys, and a report whose end is still to come. */
interface MouseRead {
  readonly presses: readonly Press[];
  readonly keys: string;
  readonly begun: string;
}

export function readMouse(text: string): MouseRead {
  const presses = [...text.matchAll(REPORT)].flatMap(([, button, x, y, how]) =>
    mousePress(Number(button), Number(x) - 1, Number(y) - 1, how === 'M'),
  );
  const rest = text.replace(REPORT, '');
  const [begun = ''] = BEGUN.exec(rest) ?? [];
  return { presses, keys: rest.slice(0, rest.length - begun.length), begun };
}

function mousePress(button: number, x: number, y: number, isDown: boolean): Press[] {
  if (button === WHEEL || button === WHEEL + 1) return [{ on: 'wheel', by: button === WHEEL ? -1 : 1, x, y }];
  return button === 0 && isDown ? [{ on: 'click', x, y }] : [];
}
