import { type Family, familyNamed } from './families.ts';

/** Figures by their series: a name, what it is told apart by, and which part of a histogram it is. Flat, so that they can be added and stored. */
export type Counts = ReadonlyMap<string, number>;

/** A bound of a histogram, in seconds; `sum` and `count` of all that was measured. */
type Part = 'value' | 'sum' | 'count' | number;

export const seriesOf = (name: string, by: readonly string[], part: Part = 'value'): string => JSON.stringify([name, by, part]);

const readSeries = (series: string) => JSON.parse(series) as [name: string, by: string[], part: Part];

/** The sum of several, series by series. */
export function added(...all: readonly Counts[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const counts of all) for (const [series, value] of counts) sum.set(series, (sum.get(series) ?? 0) + value);
  return sum;
}

/** The first without the second; series without a difference are left out. */
export function without(from: Counts, what: Counts): Map<string, number> {
  const rest = [...from].map(([series, value]) => [series, value - (what.get(series) ?? 0)] as const);
  return new Map(rest.filter(([, value]) => value !== 0));
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly buckets?: { readonly le: number; readonly count: number }[];
  readonly count?: number;
}

/** Names of checks and kinds are a person's: a file that invents new ones all day must not fill the memory of a collector. */
const MOST_NAMES = 50;
const LONGEST = 100;
const REST = 'other';

/** The samples of a family, put together from its series. */
export function samplesOf(family: Family, counts: Counts): Sample[] {
  const own = [...counts].map(([series, value]) => ({ key: readSeries(series), value })).filter(({ key: [name] }) => name === family.name);
  const allowed = family.by.map((_, n) => new Set([...new Set(own.map(({ key }) => key[1][n]!))].sort().slice(0, MOST_NAMES)));
  const named = (by: readonly string[]) => by.map((value, n) => (allowed[n]!.has(value) ? value.slice(0, LONGEST) : REST));
  const groups = Map.groupBy(own, ({ key }) => JSON.stringify(named(key[1])));
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([by, parts]) => sampleOf(family, JSON.parse(by) as string[], parts));
}

function sampleOf(
  { by: names, bounds }: Family,
  by: readonly string[],
  parts: readonly { key: ReturnType<typeof readSeries>; value: number }[],
): Sample {
  const labels = Object.fromEntries(names.map((name, n) => [name, by[n]!]));
  const part = (wanted: Part) => parts.reduce((sum, { key, value }) => (key[2] === wanted ? sum + value : sum), 0);
  if (!bounds) return { labels, value: part('value') };
  return { labels, value: part('sum'), count: part('count'), buckets: bounds.map((le) => ({ le, count: part(le) })) };
}

/** Measures times in memory, for what no row tells. */
export class Histogram {
  readonly #counts = new Map<string, number>();
  readonly #family: Family;

  constructor(name: string) {
    this.#family = familyNamed(name);
  }

  observe(seconds: number): void {
    const { name, bounds = [] } = this.#family;
    const parts: [Part, number][] = [
      ['count', 1],
      ['sum', seconds],
      ...bounds.filter((le) => seconds <= le).map((le): [Part, number] => [le, 1]),
    ];
    for (const [part, value] of parts) {
      const series = seriesOf(name, [], part);
      this.#counts.set(series, (this.#counts.get(series) ?? 0) + value);
    }
  }

  get counts(): Counts {
    return this.#counts;
  }
}
