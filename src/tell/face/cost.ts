import type { Out } from '../../api/contract.ts';

export type Measure = 'usd' | 'tokens';

interface SpendSeries {
  /** The task or the agent; null: the sum of those without a line of their own. */
  readonly name: string | null;
  /** Used up to each time, in all. */
  readonly points: readonly number[];
  readonly total: number;
}

/** The cost over time: a line for each task or agent that used most, one for the rest, and their sum. */
export interface Spend {
  readonly times: readonly number[];
  /** The most expensive first. */
  readonly series: readonly SpendSeries[];
  readonly sum: readonly number[];
  readonly total: number;
}

export interface SpendOptions {
  readonly by: 'task' | 'agent';
  readonly measure: Measure;
  /** Points of time, borders included. */
  readonly steps: number;
  /** Lines of their own. */
  readonly most: number;
  readonly now: number;
}

type UseSpan = Out<'cost'>['spans'][number];

/**
 * Agents say what a conversation has used in all, and not when: each is spread evenly from its start to its last figure. So the
 * ends are exact, and between them a line is straight.
 */
export function spendOf({ spans }: Pick<Out<'cost'>, 'spans'>, { by, measure, steps, most, now }: SpendOptions): Spend {
  const used = spans
    .map((span) => ({ ...span, begin: Date.parse(span.from), end: Date.parse(span.to) }))
    .filter((span) => span[measure] > 0);
  if (used.length === 0) return { times: [], series: [], sum: [], total: 0 };
  const from = Math.min(...used.map(({ begin }) => begin));
  const to = Math.max(now, ...used.map(({ end }) => end), from + 1);
  const times = Array.from({ length: steps }, (_, at) => from + ((to - from) * at) / (steps - 1));
  const line = (name: string | null, of: readonly Used[]): SpendSeries => {
    const points = times.map((time) => of.reduce((sum, span) => sum + span[measure] * partBefore(span, time), 0));
    return { name, points, total: of.reduce((sum, span) => sum + span[measure], 0) };
  };
  const nameOf = (span: Used) => (by === 'agent' ? span.agent : span.id);
  const lines = [...Map.groupBy(used, nameOf)].map(([name, of]) => ({ name, of, total: of.reduce((sum, span) => sum + span[measure], 0) }));
  lines.sort((a, b) => b.total - a.total);
  const own = lines.length <= most ? lines : lines.slice(0, most - 1);
  const rest = lines.slice(own.length).flatMap(({ of }) => of);
  const series = [...own.map(({ name, of }) => line(name, of)), ...(rest.length > 0 ? [line(null, rest)] : [])];
  const sum = times.map((_, at) => series.reduce((all, { points }) => all + points[at]!, 0));
  return { times, series, sum, total: series.reduce((all, { total }) => all + total, 0) };
}

interface Used extends UseSpan {
  readonly begin: number;
  readonly end: number;
}

function partBefore({ begin, end }: Used, time: number): number {
  if (time >= end) return 1;
  return time <= begin ? 0 : (time - begin) / (end - begin);
}
