import type { Out } from '../../api/contract.ts';
import { foldHistory, NO_HISTORY } from '../face/timeline.ts';
import { lanesIn, type ShownSpan } from '../face/timeline-window.ts';
import { iso } from './names.ts';
import type { ReportAttempt, ReportRows } from './rows.ts';

type Plots = Out<'report'>['plots'];
type Span = Plots['lanes'][number]['spans'][number];

/** Most runs that a plot of them shows: more would be one blot. */
const RUNS = 2000;

/** Each agent's time, by the same history that `furrow top` and the page draw: its attempts, and over them when it waited. */
export function plottedLanes({ timeline, attempts, since, now }: ReportRows): Plots['lanes'] {
  const known = new Map(attempts.map((attempt) => [keyOf(attempt.task, attempt.n), attempt]));
  return lanesIn(foldHistory(NO_HISTORY, timeline), { from: since, to: now, now }).flatMap(({ agent, spans }) => {
    const work = Map.groupBy(
      spans.filter(({ track }) => track === 'work'),
      ({ ref, attempt }) => keyOf(ref, attempt),
    );
    const drawn = [...work].flatMap(([key, times]) => attemptSpans(times, known.get(key)));
    return agent === null || drawn.length === 0 ? [] : [{ agent, spans: drawn }];
  });
}

const keyOf = (ref: string | null, attempt: number | null) => `${ref} ${attempt}`;

/** One attempt: from its first time to its last, and the times in it that were spent waiting. */
function attemptSpans(times: readonly ShownSpan[], attempt: ReportAttempt | undefined): Span[] {
  const outcome = attempt?.outcome ?? (attempt?.ended === null ? 'running' : 'ended');
  const span = (what: Span['what'], from: number, to: number): Span => {
    return { from: iso(from), to: iso(to), what, task: times[0]!.task ?? '', outcome };
  };
  const pauses = times.flatMap(({ kind, from, to }) => (kind === 'waiting' || kind === 'limited' ? [span(kind, from, to)] : []));
  return [span('work', times[0]!.from, times.at(-1)!.to), ...pauses];
}

/** The cost as it added up: a point for each conversation, at the last word about its use. */
export function spentIn({ attempts, usage, since }: Pick<ReportRows, 'attempts' | 'usage' | 'since'>): Plots['spent'] {
  const begun = new Set(attempts.filter(({ started }) => started >= since).map(({ id }) => id));
  let [usd, tokens] = [0, 0];
  return usage
    .filter(({ attempt }) => begun.has(attempt))
    .toSorted((a, b) => a.at - b.at)
    .map((row) => {
      usd += (row.micros ?? 0) / 1e6;
      tokens += row.input + row.output + row.cache_read + row.cache_write;
      return { at: iso(row.at), usd, tokens };
    });
}

export const runsIn = ({ runs }: Pick<ReportRows, 'runs'>): Plots['runs'] =>
  runs
    .toSorted((a, b) => a.at - b.at)
    .slice(-RUNS)
    .map(({ at, name, outcome, ms }) => ({ at: iso(at), check: name, outcome, ms }));
