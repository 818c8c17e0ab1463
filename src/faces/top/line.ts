import { cut, isPlain, width } from '../../platform/text-width.ts';
import { visible } from '../../platform/visible.ts';

/** The meaning of a piece of text; the colours are chosen where it is drawn. */
export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'busy' | 'faint' | 'strong' | 'chosen';

export interface Span {
  readonly text: string;
  readonly tone: Tone;
  /** Escape sequences for colours, as a live screen has them; only `peek` makes such text, from cells. */
  readonly sgr?: string;
}

/** One row of the screen, or a part of it. */
export type Line = readonly Span[];

/** Our own words. */
export const span = (text: string, tone: Tone = 'plain'): Span => ({ text, tone });

/** Text of others (titles, reasons, names): on one line, with nothing that a terminal takes for a command. */
export const words = (text: string, tone: Tone = 'plain'): Span => ({ text: visible(text), tone });

export const widthOf = (line: Line): number => line.reduce((sum, { text }) => sum + width(text), 0);

/** The same line in exactly so many columns: cut with an ellipsis, or filled with spaces. */
export function toWidth(line: Line, to: number, fill: Tone = 'plain'): Line {
  const kept: Span[] = [];
  let left = Math.max(0, to);
  for (const one of line) {
    const wide = width(one.text);
    if (wide > left) {
      const text = left > 0 ? cut(one.text, left) : '';
      if (text !== '') kept.push({ ...one, text });
      left -= width(text);
      break;
    }
    kept.push(one);
    left -= wide;
  }
  return left > 0 ? [...kept, span(' '.repeat(left), fill)] : kept;
}

/** The columns from `from` up to `to` of a line; half of a wide letter is a space. */
export function slice(line: Line, from: number, to: number): Line {
  let at = 0;
  return line.flatMap((one) => {
    let text = '';
    if (isPlain(one.text)) {
      text = one.text.slice(Math.max(0, from - at), Math.max(0, to - at));
      at += one.text.length;
      return text === '' ? [] : [{ ...one, text }];
    }
    for (const letter of one.text) {
      const next = at + width(letter);
      if (at >= from && next <= to) text += letter;
      else if (next > from && at < to) text += ' '.repeat(Math.min(next, to) - Math.max(at, from));
      at = next;
    }
    return text === '' ? [] : [{ ...one, text }];
  });
}

/** Cells side by side, each in its own number of columns, with a space between. */
export function cells(...parts: readonly (readonly [Line, number])[]): Line {
  return parts.filter(([, wide]) => wide > 0).flatMap(([line, wide], at) => [...(at > 0 ? [span(' ')] : []), ...toWidth(line, wide)]);
}

/** The row that is chosen: in one colour from edge to edge, so that it is also seen without colours. */
export const chosen = (line: Line): Line => line.map((one) => ({ ...one, tone: 'chosen' }));

/** Breaks a text of several lines into rows of at most so many columns, at spaces where there are any. */
export function wrap(text: string, to: number, tone: Tone = 'plain'): Line[] {
  return text.split('\n').flatMap((line) => wrapLine(visible(line), Math.max(1, to)).map((row) => [span(row, tone)]));
}

function wrapLine(text: string, to: number): string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of text.split(/(?<= )/)) {
    if (width(row) + width(word.trimEnd()) > to && row !== '') {
      rows.push(row.trimEnd());
      row = '';
    }
    row += word;
    while (width(row) > to) {
      const [head] = slice([span(row)], 0, to);
      if (!head || head.text.length === 0) break;
      rows.push(head.text);
      row = row.slice(head.text.length);
    }
  }
  return [...rows, row.trimEnd()];
}
