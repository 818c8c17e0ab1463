import { terminalFilter } from '../terminal-filter.ts';
import { command } from './quote.ts';
import { checkId } from './server.ts';

/** A pane at one moment as tmux stores it: cells, not the program's output. Each line is complete in itself, colours included. */
export interface PaneCells {
  readonly cols: number;
  readonly rows: number;
  /** The number of lines that have left the screen at its top so far; it falls when the pane forgets or loses some. */
  readonly gone: number;
  /** The newest of those lines, at most as many as were asked for. */
  readonly past: readonly string[];
  readonly visible: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number; readonly shown: boolean };
  /** The program uses the alternate screen. */
  readonly alternate: boolean;
  /** Sequences that tell a terminal what its keys should send. */
  readonly keys: string;
}

/**
 * The commands that show a pane and some lines of its past. They are on one line, so that nothing is printed between them.
 *
 * A control client with `%output` would hear each byte, but must not be used beside agents: tmux 3.3a (and all before 3.7) crashes, with
 * everything in it, when a pane that is turned off still has output waiting (1 of 1), and when a pane is respawned whose program printed
 * and ended at once (at the 22nd and the 36th of 60).
 */
export function cellCommands(pane: string, lines: number): string {
  const id = checkId('%', pane);
  const fields = FIELDS.map((name) => `#{${name}}`).join(' ');
  return `${command('display-message', '-p', '-t', id, fields)} ; ${command('capture-pane', '-p', '-e', '-N', '-t', id, '-S', `-${Math.floor(lines)}`)}`;
}

const FIELDS = [
  'pane_width',
  'pane_height',
  'history_size',
  'cursor_x',
  'cursor_y',
  'cursor_flag',
  'alternate_on',
  'keypad_cursor_flag',
  'keypad_flag',
  // Only newer versions of tmux have it.
  'bracket_paste_flag',
];

/** Reads the reply to those commands, given as latin1. */
export function readCells(reply: readonly string[], lines: number): PaneCells {
  const [cols = 0, rows = 0, gone = 0, x = 0, y = 0, shown = 0, alternate = 0, arrows = 0, keypad = 0, paste = 0] = (reply[0] ?? '')
    .split(' ')
    .map(Number);
  const past = Math.min(Math.floor(lines), gone);
  const text = terminalFilter().feed(Buffer.from(reply.slice(1, 1 + past + rows).join('\n'), 'latin1').toString('utf8'));
  const all = wholeLines(text.split('\n'));
  return {
    cols,
    rows,
    gone,
    past: all.slice(0, past),
    visible: Array.from({ length: rows }, (_, at) => all[past + at] ?? ''),
    cursor: { x: Math.min(x, cols - 1), y, shown: shown === 1 },
    alternate: alternate === 1,
    keys: `${arrows ? '\x1b[?1h' : '\x1b[?1l'}${keypad ? '\x1b=' : '\x1b>'}${paste ? '\x1b[?2004h' : '\x1b[?2004l'}`,
  };
}

/** Colours and attributes at one point of a text. */
interface Pen {
  readonly attributes: string;
  readonly fg: string;
  readonly bg: string;
  readonly underline: string;
  /** Letters are shown as line-drawing characters. */
  readonly shifted: boolean;
}

const PLAIN: Pen = { attributes: '', fg: '', bg: '', underline: '', shifted: false };

const CODES = /\x1b\[([\d;:]*)m|[\x0e\x0f]/g;

/**
 * Makes each line complete in itself: it begins with the colours at the end of the line before, and ends with plain ones. `capture-pane -e`
 * prints only changes, from the first line to the last.
 */
function wholeLines(lines: readonly string[]): string[] {
  let pen = PLAIN;
  return lines.map((line) => {
    const start = written(pen);
    let plain = start === '';
    for (const [code, numbers] of line.matchAll(CODES)) {
      pen = numbers === undefined ? { ...pen, shifted: code === '\x0e' } : withCodes(pen, numbers);
      plain = false;
    }
    return plain ? line : `${start}${line}${pen.shifted ? '\x0f' : ''}\x1b[m`;
  });
}

const written = ({ attributes, fg, bg, underline, shifted }: Pen) => {
  const codes = [attributes, fg, bg, underline].filter((part) => part !== '').join(';');
  return `${codes === '' ? '' : `\x1b[${codes}m`}${shifted ? '\x0e' : ''}`;
};

/** The pen after one sequence. tmux writes a colour in a sequence of its own, and attributes after a `0` when one ends. */
function withCodes(pen: Pen, numbers: string): Pen {
  const codes = numbers === '' ? ['0'] : numbers.split(';');
  let now = pen;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] || '0';
    const [first = 0] = code.split(':').map(Number);
    const colour = COLOURS[first];
    if (first === 0) now = { ...PLAIN, shifted: now.shifted };
    else if (colour) {
      // `38;5;N` and `38;2;R;G;B`, unless it is one word with colons.
      const more = code.includes(':') ? 0 : codes[at + 1] === '5' ? 2 : codes[at + 1] === '2' ? 4 : 0;
      now = { ...now, [colour]: codes.slice(at, at + more + 1).join(';') };
      at += more;
    } else if (first === 39 || (first >= 30 && first <= 37) || (first >= 90 && first <= 97)) now = { ...now, fg: first === 39 ? '' : code };
    else if (first === 49 || (first >= 40 && first <= 47) || (first >= 100 && first <= 107)) now = { ...now, bg: first === 49 ? '' : code };
    else if (first === 59) now = { ...now, underline: '' };
    else now = { ...now, attributes: now.attributes === '' ? code : `${now.attributes};${code}` };
  }
  return now;
}

const COLOURS: Readonly<Record<number, 'fg' | 'bg' | 'underline'>> = { 38: 'fg', 48: 'bg', 58: 'underline' };
