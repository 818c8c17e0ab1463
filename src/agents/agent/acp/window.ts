import { once } from 'node:events';
import { clean } from '../../../platform/strip-controls.ts';
import { cut } from '../../../platform/text-width.ts';
import { EMPTY_LINE, feed, type InputLine, isEscape, type Press } from './input-line.ts';

export type State = 'starting' | 'idle' | 'working' | 'waiting';

/** The agent's window: the conversation above, and one line with its state and what a person types. */
export interface Window {
  /** Whole lines, as they are: the caller has cleaned them. */
  print(...lines: string[]): void;
  /** A piece of what the agent says; shown when its line is whole. */
  stream(piece: string, paint: (line: string) => string): void;
  show(state: State, detail?: string): void;
  onPress(listener: (press: Press) => void): void;
  /** Resolves when the terminal has taken what was printed. */
  flushed(): Promise<void>;
  close(): void;
}

/** A lone escape is the key if nothing follows it for this long. */
const ESCAPE_MS = 25;
const WIDTH = 100;
/** Nobody waits longer for the end of a line. */
const LONGEST_LINE = 4000;

const TITLES: Readonly<Record<State, string>> = { starting: '…', idle: '◇', working: '✦', waiting: '✋' };

export function openWindow(name: string, typed: boolean): Window {
  const { stdin, stdout } = process;
  const listeners: ((press: Press) => void)[] = [];
  const live = stdout.isTTY === true;
  let line: InputLine = EMPTY_LINE;
  let [state, detail] = ['starting' as State, ''];
  let partial = '';
  let painted: (text: string) => string = (text) => text;
  let waiting: NodeJS.Timeout | undefined;
  let full = false;

  const bottom = () => {
    const words = `[${state}${detail && `: ${detail}`}]${typed ? ` > ${line.text.replaceAll('\n', '⏎').slice(-WIDTH)}` : ''}`;
    return `\r\x1b[2K${cut(clean(words), Math.max(20, (stdout.columns ?? WIDTH) - 1))}`;
  };
  const write = (text: string) => {
    if (!stdout.write(text)) full = true;
  };
  const redraw = () => live && write(bottom());
  const print = (...lines: string[]) => {
    if (lines.length === 0) return;
    const text = lines.map((one) => `${one}\r\n`).join('');
    write(live ? `\r\x1b[2K${text}${bottom()}` : text);
  };
  const endLine = () => {
    if (partial !== '') print(painted(clean(partial)));
    partial = '';
  };
  const took = (chunk: string) => {
    clearTimeout(waiting);
    const { line: next, pressed } = feed(line, chunk);
    line = next;
    if (line.rest !== '') waiting = setTimeout(lone, ESCAPE_MS);
    redraw();
    for (const press of pressed) for (const listener of listeners) listener(press);
  };
  const lone = () => {
    const alone = isEscape(line);
    line = { ...line, rest: '' };
    if (alone) for (const listener of listeners) listener({ on: 'escape' });
  };

  if (typed) {
    stdin.setRawMode?.(true);
    stdin.setEncoding('utf8');
    stdin.on('data', took);
    if (live) write('\x1b[?2004h');
  }
  stdout.on('resize', redraw);
  stdout.on('error', () => {});
  return {
    print: (...lines) => {
      endLine();
      print(...lines);
    },
    stream(piece, paint) {
      if (paint !== painted) endLine();
      painted = paint;
      const lines = (partial + piece).split('\n');
      partial = lines.at(-1)!.length > LONGEST_LINE ? '' : lines.pop()!;
      print(...lines.map((one) => paint(clean(one))));
    },
    show(next, why = '') {
      endLine();
      [state, detail] = [next, why];
      if (live) write(`\x1b]2;${TITLES[state]} ${clean(name)}: ${state}\x07`);
      redraw();
    },
    onPress: (listener) => void listeners.push(listener),
    async flushed() {
      if (full) await once(stdout, 'drain');
      full = false;
    },
    close() {
      clearTimeout(waiting);
      endLine();
      stdin.setRawMode?.(false);
      stdin.pause();
      if (live) write(`\r\x1b[2K${typed ? '\x1b[?2004l' : ''}`);
    },
  };
}
