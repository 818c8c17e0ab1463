import type { Out } from '../../api/contract.ts';
import type { Landed } from './landed.ts';
import { naming } from './names.ts';
import type { ReportAttempt, ReportRows, ReportUsage } from './rows.ts';

type Facts = Out<'report'>;
type Cost = Omit<Facts['cost'], 'tasks'>;

const FAILED: ReadonlySet<string> = new Set(['failed', 'crashed', 'timeout', 'blocked']);

/** The sum of what conversations have used, in the words of `furrow cost`. */
function costOf(usage: readonly ReportUsage[]): Cost {
  const sum = (figure: (row: ReportUsage) => number) => usage.reduce((total, row) => total + figure(row), 0);
  return {
    usd: sum((row) => row.micros ?? 0) / 1e6,
    partial: usage.some((row) => row.micros === null),
    tokens: sum((row) => row.input + row.output + row.cache_read + row.cache_write),
    input: sum((row) => row.input),
    output: sum((row) => row.output),
    cached: sum((row) => row.cache_read + row.cache_write),
  };
}

/** Attempts that began in the period: what they used is its cost, as in `furrow cost`. */
export const begunIn = ({ attempts, since }: Pick<ReportRows, 'attempts' | 'since'>) => attempts.filter(({ started }) => started >= since);

function usageOf(rows: Pick<ReportRows, 'usage'>, attempts: readonly ReportAttempt[]): ReportUsage[] {
  const ids = new Set(attempts.map(({ id }) => id));
  return rows.usage.filter(({ attempt }) => ids.has(attempt));
}

export function costIn(rows: ReportRows): Facts['cost'] {
  const named = naming(rows);
  const states = new Map(rows.tasks.map((task) => [task.ref, task.state]));
  const begun = begunIn(rows);
  const tasks = [...Map.groupBy(begun, ({ task }) => task)].flatMap(([ref, own]) => {
    const usage = usageOf(rows, own);
    const { task: id, phase, title } = named(ref);
    return usage.length === 0 ? [] : [{ id, phase, title, landed: states.get(ref) === 'landed', ...costOf(usage) }];
  });
  return { ...costOf(usageOf(rows, begun)), tasks };
}

export function agentsIn(rows: ReportRows, landed: readonly Landed[]): Facts['agents'] {
  return grouped(rows, 'agent', landed).map(({ name, own, ...one }) => ({ name, kind: own.at(-1)!.kind, ...one }));
}

export function kindsIn(rows: ReportRows, landed: readonly Landed[]): Facts['kinds'] {
  return grouped(rows, 'kind', landed).map(({ own: _, ...one }) => one);
}

/** Attempts, landings and cost of each of them, those with the most landings first. */
function grouped(rows: ReportRows, by: 'agent' | 'kind', landed: readonly Landed[]) {
  return [...Map.groupBy(begunIn(rows), (row) => row[by])]
    .map(([name, own]) => ({
      name,
      own,
      attempts: own.length,
      landed: landed.filter((one) => one[by] === name).length,
      failed: own.filter(({ outcome }) => outcome !== null && FAILED.has(outcome)).length,
      worked_ms: own.reduce((sum, { started, ended }) => sum + (ended ?? rows.now) - started, 0),
      ...costOf(usageOf(rows, own)),
    }))
    .sort((a, b) => b.landed - a.landed || a.name.localeCompare(b.name));
}
