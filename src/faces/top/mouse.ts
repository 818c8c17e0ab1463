import type { Press } from './press.ts';

/** Clicks and the wheel, reported in cells; and back to how it was. */
export const MOUSE_ON = '\u001b[?1000h\u001b[?1006h';
export const MOUSE_OFF = '\u001b[?1006l\u001b[?1000l';

/** Reports of the mouse as terminals send them with mode 1006. */
const REPORT = /\u001b\[<(\d+);(\d+);(\d+)([Mm])/g;
const BEGUN = /\u001b\[<[\d;]*$/;
const WHEEL = 64;

/** The deeds of the mouse, and what is left of the text: the keys, and a report whose end is still to come. */
export interface MouseRead {
  readonly presses: readonly Press[];
  readonly keys: string;
  readonly begun: string;
}

export function readMouse(text: string): MouseRead {
  const presses = [...text.matchAll(REPORT)].flatMap(([, button, x, y, how]) =>
    pressOf(Number(button), Number(x) - 1, Number(y) - 1, how === 'M'),
  );
  const rest = text.replace(REPORT, '');
  const [begun = ''] = BEGUN.exec(rest) ?? [];
  return { presses, keys: rest.slice(0, rest.length - begun.length), begun };
}

function pressOf(button: number, x: number, y: number, isDown: boolean): Press[] {
  if (button === WHEEL || button === WHEEL + 1) return [{ on: 'wheel', by: button === WHEEL ? -1 : 1, x, y }];
  return button === 0 && isDown ? [{ on: 'click', x, y }] : [];
}
