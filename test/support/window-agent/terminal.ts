import { type Composer, EMPTY, feed, flush, type Press } from './composer.ts';
import { draw, type View } from './draw.ts';
import type { Faults } from './faults.ts';

export interface Terminal {
  onPress(listener: (press: Press) => void): void;
  say(text: string): void;
  show(state: View['state'], detail?: string): void;
  /** For what a step prints; much at once goes to the terminal as it is. */
  print(text: string): Promise<void>;
  answer(signal: AbortSignal): Promise<string>;
  close(): void;
}

/** A lone escape is the key if nothing follows it for this long. */
const ESCAPE_MS = 25;

/** The window itself: a raw terminal with bracketed paste, drawn anew after each change. */
export function openTerminal(title: string, faults: Faults): Terminal {
  const { stdin, stdout } = process;
  const listeners: ((press: Press) => void)[] = [];
  const words: string[] = [];
  let view: Omit<View, 'words' | 'draft'> = { state: 'starting', detail: '' };
  let composer: Composer = EMPTY;
  let asked: ((text: string) => void) | undefined;
  let drawing = false;
  let waiting: NodeJS.Timeout | undefined;

  const redraw = () => {
    if (drawing) return;
    drawing = true;
    setImmediate(() => {
      drawing = false;
      stdout.write(draw({ ...view, words, draft: composer.text }, title));
    });
  };
  const took = ({ composer: next, pressed }: { composer: Composer; pressed: Press[] }) => {
    composer = next;
    redraw();
    for (const press of pressed) {
      if (press.on === 'submit' && asked) asked(press.text);
      else for (const listener of listeners) listener(press);
    }
  };

  stdin.setRawMode?.(true);
  stdin.setEncoding('utf8');
  stdout.write('\x1b[?2004h\x1b[2J');
  stdout.on('resize', redraw);
  stdin.on('data', (chunk: string) => {
    clearTimeout(waiting);
    took(feed(composer, chunk, performance.now(), faults));
    if (composer.rest !== '') waiting = setTimeout(() => took(flush(composer)), ESCAPE_MS);
  });
  stdin.on('end', () => took({ composer, pressed: [{ on: 'quit' }] }));

  const say = (text: string) => {
    words.push(...text.split('\n').filter(Boolean));
    words.splice(0, words.length - 20);
    redraw();
  };
  return {
    onPress: (listener) => void listeners.push(listener),
    say,
    show: (state, detail = '') => {
      view = { state, detail };
      redraw();
    },
    print: async (text) => {
      if (text.length < 4096) return say(text);
      await new Promise<void>((done) => stdout.write(text, () => done()));
      redraw();
    },
    answer: (signal) =>
      new Promise((resolve, reject) => {
        const over = () => {
          asked = undefined;
          reject(signal.reason);
        };
        signal.addEventListener('abort', over, { once: true });
        asked = (text) => {
          asked = undefined;
          signal.removeEventListener('abort', over);
          resolve(text);
        };
      }),
    close: () => {
      clearTimeout(waiting);
      stdin.setRawMode?.(false);
      stdin.pause();
      stdout.write('\x1b[?2004l\r\n');
    },
  };
}
