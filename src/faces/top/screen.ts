import type { WriteStream } from 'node:tty';
import { toAscii } from './ascii.ts';
import type { Line, Span, Tone } from './line.ts';

/** The screen beside that of the shell, without a cursor, and where nothing wraps; and back to how it was. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
/** A terminal shows what is between these at once. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';

/** The lines of a frame on the terminal: only rows that look otherwise than before are written. */
export class Screen {
  readonly #out: Pick<WriteStream, 'write'>;
  readonly #colours: boolean;
  readonly #ascii: boolean;
  #rows: string[] | undefined;

  constructor(out: Pick<WriteStream, 'write'>, colours: boolean, ascii = false) {
    this.#out = out;
    this.#colours = colours;
    this.#ascii = ascii;
  }

  enter(): void {
    if (this.#rows) return;
    this.#rows = [];
    this.#out.write(ENTER);
  }

  /** Gives the terminal back; a second call does nothing. */
  leave(): void {
    if (!this.#rows) return;
    this.#rows = undefined;
    this.#out.write(LEAVE);
  }

  /** The terminal has another size, and shows anything by now. */
  forget(): void {
    if (this.#rows) this.#rows = [];
  }

  draw(lines: readonly Line[]): void {
    const before = this.#rows;
    if (!before) return;
    const shown = (one: Span) => styled(this.#ascii ? { ...one, text: toAscii(one.text) } : one, this.#colours);
    const rows = lines.map((line) => line.map(shown).join(''));
    const changed = rows.flatMap((row, y) => (row === before[y] ? [] : [`\u001b[${y + 1}H${row}`]));
    this.#rows = rows;
    if (changed.length > 0) this.#out.write(`${BEGIN}${changed.join('')}${END}`);
  }
}

const COLOURED: Readonly<Record<Tone, string>> = {
  ...{ plain: '', good: '32', bad: '31', warn: '33', busy: '36', faint: '2', strong: '1', chosen: '7' },
};
/** Without colours, what must be seen is bold, and what is chosen is inverse as ever. */
const UNCOLOURED: Readonly<Record<Tone, string>> = { ...COLOURED, good: '', bad: '1', warn: '1', busy: '' };

function styled({ text, tone, sgr }: Span, colours: boolean): string {
  const style = (colours ? sgr : undefined) ?? (colours ? COLOURED : UNCOLOURED)[tone];
  return style === '' ? text : `\u001b[${style}m${text}\u001b[0m`;
}
