import { EventEmitter } from 'node:events';
import { emitKeypressEvents } from 'node:readline';
import type { ReadStream } from 'node:tty';
import { type Press, type Pressed, pressOf, readMouse } from './key-press.ts';

/** An escape with nothing behind it for this long is the key; the parser of Node would wait half a second. */
const ESCAPE_MS = 50;

/** Reports with more numbers than the parser of Node knows: it would take what is left of one for text. */
const UNKNOWN = /\u001b\[\d+(?:;\d+){2,}[~u]/g;

/** The keys and the mouse of a terminal, in raw mode, while it listens. */
export class Keyboard {
  readonly #terminal: ReadStream;
  readonly #keys = new EventEmitter();
  readonly #hear: (text: string) => void;

  constructor(terminal: ReadStream, onPress: (press: Press) => void) {
    this.#terminal = terminal;
    let begun = '';
    this.#hear = (text) => {
      const found = readMouse(begun + text);
      begun = found.begun;
      for (const press of found.presses) onPress(press);
      const keys = found.keys.replace(UNKNOWN, '');
      if (keys !== '') this.#keys.emit('data', keys);
    };
    this.#keys.on('keypress', (text: string | undefined, key: Pressed) => {
      const press = pressOf(text, key);
      if (press) onPress(press);
    });
    // What it needs of a stream is its events: the reports of the mouse are no keys, and are taken out first.
    const parser = emitKeypressEvents as unknown as (keys: EventEmitter, options: { escapeCodeTimeout: number }) => void;
    parser(this.#keys, { escapeCodeTimeout: ESCAPE_MS });
  }

  listen(): void {
    this.#terminal.setRawMode(true).setEncoding('utf8').on('data', this.#hear).resume();
  }

  /** Leaves the terminal to others. */
  rest(): void {
    this.#terminal.off('data', this.#hear).pause().setRawMode(false);
  }
}
