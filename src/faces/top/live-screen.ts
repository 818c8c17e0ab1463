import headless, { type IBufferCell } from '@xterm/headless';
import type { Item } from '../../api/contract.ts';
import { clean } from '../../platform/strip-controls.ts';
import type { Line, Span } from './line.ts';

/** A terminal without a screen: it reads what an agent's pane was sent, and has the cells that a person would see. */
export class LiveScreen {
  readonly #changed: () => void;
  readonly #terminal = new headless.Terminal({ cols: 80, rows: 24, scrollback: 0, allowProposedApi: true });
  #rows: readonly Line[] | undefined;
  readonly #looks = new Looks();

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** The terminal reads later than it is written to, so a new size and a new beginning wait for their turn as well. */
  take(item: Item<'screen'>): void {
    const text = 'reset' in item ? `${ANEW}${item.reset}` : 'data' in item ? item.data : '';
    this.#terminal.write(text, () => {
      if ('size' in item) this.#terminal.resize(Math.max(2, item.size.cols), Math.max(1, item.size.rows));
      this.#rows = undefined;
      this.#changed();
    });
  }

  /** The rows from the top to the last one with something in it. */
  rows(): readonly Line[] {
    this.#rows ??= this.#read();
    return this.#rows;
  }

  #read(): Line[] {
    const buffer = this.#terminal.buffer.active;
    const cell = buffer.getNullCell();
    const rows = Array.from({ length: this.#terminal.rows }, (_, y): Line => {
      const line = buffer.getLine(buffer.viewportY + y);
      const spans: Span[] = [];
      for (let x = 0; line && x < this.#terminal.cols; x++) {
        // One object for all cells: of 11,000 made anew ten times a second a core was busy for a quarter.
        line.getCell(x, cell);
        // The second half of a wide letter is in the first.
        if (cell.getWidth() !== 0) add(spans, lettersOf(cell), this.#looks.of(cell));
      }
      return trimmed(spans);
    });
    return rows.slice(0, rows.findLastIndex((line) => line.some(({ text }) => text.trim() !== '')) + 1);
  }
}

/** The sequence that clears a terminal and all that was set in it. */
const ANEW = '\x1bc';

/** Drops the blanks at the end, of which a pane wider than this screen has many. */
function trimmed(spans: readonly Span[]): Line {
  const last = spans.at(-1);
  if (last?.sgr !== '') return spans;
  const text = last.text.trimEnd();
  return text === '' ? spans.slice(0, -1) : [...spans.slice(0, -1), { ...last, text }];
}

/** The text that a person sees in a cell: nearly always nothing or one letter of ASCII, which needs no cleaning. */
function lettersOf(cell: IBufferCell): string {
  const code = cell.getCode();
  if (code === 0) return ' ';
  if (code >= 0x20 && code < 0x7f) return String.fromCharCode(code);
  return clean(cell.getChars()).slice(0, 8) || ' ';
}

/** Neighbours that look alike are one piece. */
function add(spans: Writable<Span>[], text: string, sgr: string): void {
  const last = spans.at(-1);
  if (last && last.sgr === sgr) last.text += text;
  else spans.push({ text, tone: 'plain', sgr });
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The colour sequences of cells. Neighbours mostly look alike, so that of the last cell is remembered by its numbers. */
class Looks {
  #last = { fg: -1, bg: -1, sgr: '' };

  of(cell: IBufferCell): string {
    // A cell keeps its colours and its weight in these two numbers.
    const { fg, bg } = cell as unknown as { readonly fg: number | undefined; readonly bg: number | undefined };
    if (fg === undefined || bg === undefined) return sgrOf(cell);
    if (fg !== this.#last.fg || bg !== this.#last.bg) this.#last = { fg, bg, sgr: sgrOf(cell) };
    return this.#last.sgr;
  }
}

/** The colours and the weight of a cell, as numbers of a colour sequence: nothing else of what the agent sent is left. */
function sgrOf(cell: IBufferCell): string {
  const codes = [
    ...(cell.isBold() ? [1] : []),
    ...(cell.isDim() ? [2] : []),
    ...(cell.isItalic() ? [3] : []),
    ...(cell.isUnderline() ? [4] : []),
    ...(cell.isInverse() ? [7] : []),
    ...(cell.isFgPalette() ? [38, 5, cell.getFgColor()] : cell.isFgRGB() ? [38, 2, ...rgb(cell.getFgColor())] : []),
    ...(cell.isBgPalette() ? [48, 5, cell.getBgColor()] : cell.isBgRGB() ? [48, 2, ...rgb(cell.getBgColor())] : []),
  ];
  return codes.join(';');
}

const rgb = (colour: number) => [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255];
