/**
 * Lines up cells; the last cell of a row is left as it is. Colours do not count, and a wide letter counts twice.
 * A column that is empty in every row is left out. `least` gives widths that a column has at least.
 */
export function columns(cells: readonly (readonly string[])[], least: readonly number[] = []): string[] {
  // A title may have line breaks in it; a row is one line.
  const lines = cells.map((row) => row.map((cell) => cell.replace(/\s*\n\s*/g, ' ')));
  const used = new Set(lines.flatMap((row) => row.flatMap((cell, i) => (cell === '' ? [] : [i]))));
  const rows = lines.map((row) => row.filter((_, i) => used.has(i)));
  const widths = [...least];
  for (const row of rows) {
    for (const [i, cell] of row.slice(0, -1).entries()) widths[i] = Math.max(widths[i] ?? 0, width(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : pad(cell, widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

export function pad(text: string, to: number): string {
  return text + ' '.repeat(Math.max(0, to - width(text)));
}

const ESCAPE = /\x1b\[[0-9;]*m/g;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NONE = /\p{Mn}|\p{Me}|\u200d/u;

/** The number of terminal columns that the text takes. */
export function width(text: string): number {
  // Nearly all text is ASCII, and for that the length is the answer.
  const plain = text.replace(ESCAPE, '');
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  let sum = 0;
  for (const letter of plain) sum += NONE.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return sum;
}

/** At most `to` columns, with an ellipsis where something was cut. Not for text with colours in it. */
export function cut(text: string, to: number): string {
  if (width(text) <= to) return text;
  let kept = '';
  for (const letter of text) {
    if (width(kept + letter) > to - 1) break;
    kept += letter;
  }
  return `${kept}…`;
}

/** Days, hours, minutes or seconds between two times, in the largest unit that fits. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}m`;
  return `${Math.floor(seconds / 86_400)}d${Math.floor((seconds % 86_400) / 3600)}h`;
}
