/** One key, by its letter or its name; or something of the mouse, with the cell it happened in. */
export type Press =
  | { readonly on: 'key'; readonly name: string }
  | { readonly on: 'click'; readonly x: number; readonly y: number }
  | { readonly on: 'wheel'; readonly by: 1 | -1; readonly x: number; readonly y: number };

/** The part of Ink's description of a key that is needed. */
export interface InkKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageDown: boolean;
  readonly pageUp: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly meta: boolean;
}

const NAMES = {
  upArrow: 'up',
  downArrow: 'down',
  leftArrow: 'left',
  rightArrow: 'right',
  pageDown: 'pgdn',
  pageUp: 'pgup',
  home: 'home',
  end: 'end',
  return: 'enter',
  escape: 'esc',
  backspace: 'backspace',
  // Most terminals send this for the key that deletes backwards.
  delete: 'backspace',
} as const satisfies Partial<Record<keyof InkKey, string>>;

/** Everything that one report of the keyboard stands for: a text that was pasted is many keys. */
export function pressesOf(input: string, key: InkKey): Press[] {
  if (key.tab) return [{ on: 'key', name: key.shift ? 'shift-tab' : 'tab' }];
  const named = (Object.keys(NAMES) as (keyof typeof NAMES)[]).find((name) => key[name]);
  if (named) return [{ on: 'key', name: NAMES[named] }];
  if (key.ctrl) return [{ on: 'key', name: `ctrl-${input}` }];
  // Other sequences of the terminal are no text.
  if (key.meta || input.startsWith('[')) return input.length === 1 && !key.meta ? [{ on: 'key', name: input }] : [];
  return [...input].flatMap((letter): Press[] => {
    if (letter === '\r' || letter === '\n') return [{ on: 'key', name: 'enter' }];
    return letter < ' ' ? [] : [{ on: 'key', name: letter }];
  });
}
