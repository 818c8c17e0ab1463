/** One line of a result: what furrow needs, and what the bare tools need for the same, measured in turns in one run. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly furrow: number;
  readonly raw?: number;
  readonly reps: number;
  /** The aim, as a ratio to raw or as a value. */
  readonly aim?: { readonly ratio?: number; readonly value?: number };
  /** A count that must not grow: a run that misses its aim fails. */
  readonly bound?: boolean;
}

export interface BenchOptions {
  readonly reps: number | undefined;
  readonly agents: readonly number[] | undefined;
  readonly files: readonly number[] | undefined;
  /** Lines that an agent prints in a second. */
  readonly lines: number | undefined;
  /** Folders or addresses of somebody's projects. */
  readonly projects: readonly string[];
  say(line: string): void;
}

export type Bench = (options: BenchOptions) => Promise<Row[]>;

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return low + (high - low) * (at - Math.floor(at));
}

/** Measures both by turns, so that a busy moment of the machine falls on both. */
export async function inTurns(reps: number, raw: (rep: number) => Promise<number>, furrow: (rep: number) => Promise<number>) {
  const times = { raw: [] as number[], furrow: [] as number[] };
  for (let rep = 0; rep < reps; rep++) {
    // They take turns in going first, because the first one fills the caches.
    const order = rep % 2 === 0 ? (['raw', 'furrow'] as const) : (['furrow', 'raw'] as const);
    for (const who of order) times[who].push(await (who === 'raw' ? raw(rep) : furrow(rep)));
  }
  return { raw: median(times.raw), furrow: median(times.furrow) };
}

export async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

const ratio = (row: Row) => (row.raw === undefined || row.raw === 0 ? undefined : row.furrow / row.raw);

export function meetsAim(row: Row): boolean | undefined {
  if (row.aim?.ratio !== undefined) return (ratio(row) ?? Number.POSITIVE_INFINITY) <= row.aim.ratio;
  return row.aim?.value === undefined ? undefined : row.furrow <= row.aim.value;
}

export function table(rows: readonly Row[]): string[] {
  const number = (value: number | undefined) =>
    value === undefined ? '' : value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
  const aim = ({ aim }: Row) => (aim?.ratio !== undefined ? `≤ ${aim.ratio} ×` : aim?.value !== undefined ? `≤ ${aim.value}` : '');
  const verdict = (row: Row) => ({ true: 'yes', false: 'NO', undefined: '' })[String(meetsAim(row))] ?? '';
  const cells = [
    ['what', 'unit', 'raw', 'furrow', 'ratio', 'aim', 'met', 'reps'],
    ...rows.map((row) => [
      row.what,
      row.unit,
      number(row.raw),
      number(row.furrow),
      number(ratio(row)),
      aim(row),
      verdict(row),
      String(row.reps),
    ]),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  const lines = cells.map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  return [lines[0]!, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.slice(1)];
}
