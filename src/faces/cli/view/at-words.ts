import { isTerminal, stdout } from '../out.ts';
import { width } from './columns.ts';

/** Lines for whoever reads them: a person at a terminal gets them broken between words, a program as they are. */
export function forReader(lines: readonly string[]): readonly string[] {
  if (!isTerminal(stdout)) return lines;
  const room = process.stdout.columns || 80;
  return lines.flatMap((line) => atWords(line, room));
}

/**
 * A line as rows of at most so many columns, broken between words: a terminal breaks them anywhere. Rows after the first one are set in
 * two columns more than the line itself. A word that is longer than a row stays whole. Colours go on in the next row.
 */
export function atWords(line: string, room: number): string[] {
  if (width(line) <= room) return [line];
  // A bar stands before each row of a text of others, so that no row of it looks like one of ours.
  const [indent = ''] = /^ *(?:(?:\x1b\[[0-9;]*m)*│(?:\x1b\[[0-9;]*m)* ?)?/.exec(line) ?? [];
  const rows: string[] = [];
  let row = indent;
  // Each word with the blanks before it, so that columns stay where they are.
  for (const word of line.slice(indent.length).match(/ *[^ ]+/g) ?? []) {
    if (row.length > indent.length && width(row + word) > room) {
      rows.push(row);
      row = `${indent}  ${word.trimStart()}`;
    } else row += word;
  }
  return [...rows, row];
}
