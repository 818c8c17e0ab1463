import { width } from '../../platform/text-width.ts';
import { readLine } from './keys.ts';
import { stderr, write } from './out.ts';

interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Lines as screens: each fits with the lines that are longer than a row, and leaves room for one more row below. A line that is longer than a screen is cut in pieces. */
export function screensOf(lines: readonly string[], { rows, columns }: Size): string[][] {
  const room = Math.max(1, rows - 2);
  const screens: string[][] = [[]];
  let left = room;
  for (const line of lines.flatMap((one) => piecesOf(one, room * columns))) {
    const taken = Math.max(1, Math.ceil(width(line) / columns));
    if (taken > left) {
      screens.push([]);
      left = room;
    }
    screens.at(-1)!.push(line);
    left -= taken;
  }
  return screens;
}

function piecesOf(line: string, most: number): string[] {
  if (width(line) <= most) return [line];
  const pieces = [''];
  let wide = 0;
  for (const letter of line) {
    wide += width(letter);
    if (wide > most) {
      pieces.push('');
      wide = width(letter);
    }
    pieces[pieces.length - 1] += letter;
  }
  return pieces;
}

/**
 * Shows lines to the person at the terminal, a screen at a time, and the `end` always on the last one with room for a question below it.
 * Hands back how many of the lines they did not want to see.
 */
export async function showScreens(lines: readonly string[], end: readonly string[], ask = readLine): Promise<number> {
  const size = { rows: process.stderr.rows || 24, columns: process.stderr.columns || 80 };
  const screens = screensOf(lines, size);
  const together = screensOf([...screens.at(-1)!, ...end], size).length === 1;
  const last = together ? screens.length - 1 : screens.length;
  let shown = 0;
  for (const [at, screen] of screens.entries()) {
    write(stderr, `${screen.join('\n')}\n`);
    shown += screen.length;
    const total = screens.flat().length;
    if (at < last && /^q/i.test((await ask(`-- ${shown} of ${total} lines: Enter for more, q to stop reading -- `)).trim()))
      return total - shown;
  }
  return 0;
}
