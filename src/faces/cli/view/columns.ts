import { pad, width } from '../../../platform/text-width.ts';

export { cut, pad, width } from '../../../platform/text-width.ts';

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

/** Days, hours, minutes or seconds between two times, in the largest unit that fits. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}m`;
  return `${Math.floor(seconds / 86_400)}d${Math.floor((seconds % 86_400) / 3600)}h`;
}
