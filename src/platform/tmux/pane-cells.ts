import { terminalFilter } from '../terminal-filter.ts';
import { command } from './quote.ts';
import { checkId } from './server.ts';
import { wholeLines } from './sgr.ts';

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
