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

/** The key of one report of the keyboard. A sequence that nobody knows is none, and no text either. */
export function pressOf(text: string | undefined, { name = '', ctrl, meta, shift }: Pressed): Press | undefined {
  const key = (of: string): Press => ({ on: 'key', name: of });
  if (name === 'tab') return key(shift ? 'shift-tab' : 'tab');
  const named = NAMES[name];
  if (named !== undefined) return key(named);
  if (ctrl) return key(`ctrl-${name}`);
  return meta || text === undefined || text < ' ' ? undefined : key(text);
}
