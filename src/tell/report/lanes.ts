import type { Out } from '../../api/contract.ts';
import { iso, partsOf } from './names.ts';
import type { ReportAttempt, ReportEvent, ReportRows } from './rows.ts';

type Plots = Out<'report'>['plots'];
type Span = Plots['lanes'][number]['spans'][number];

/** Most runs that a plot of them shows: more would be one blot. */
const RUNS = 2000;

/** Each agent's time: its attempts, and over them when it waited for an answer or a limit. */
export function lanesIn(rows: ReportRows): Plots['lanes'] {
  const states = Map.groupBy(
    rows.events.filter(({ kind }) => kind === 'agent.state'),
    ({ task, attempt }) => `${task} ${attempt}`,
  );
  const seen = rows.attempts.filter(({ ended }) => ended === null || ended >= rows.since);
  return [...Map.groupBy(seen, ({ agent }) => agent)].map(([agent, own]) => ({
    agent,
    spans: own.flatMap((attempt) => spansOf(attempt, states.get(`${attempt.task} ${attempt.n}`) ?? [], rows)),
  }));
}

function spansOf(attempt: ReportAttempt, states: readonly ReportEvent[], { since, now }: Pick<ReportRows, 'since' | 'now'>): Span[] {
  const end = attempt.ended ?? now;
  const outcome = attempt.outcome ?? (attempt.ended === null ? 'running' : 'ended');
  const { task } = partsOf(attempt.task);
  const span = (what: Span['what'], from: number, to: number): Span => ({
    from: iso(Math.max(from, since)),
    to: iso(Math.max(from, Math.min(to, end))),
    what,
    task,
    outcome,
  });
  const pauses = states.flatMap(({ at, data }, n) => {
    const state = data['state'];
    const to = states[n + 1]?.at ?? end;
    return (state === 'waiting' || state === 'limited') && at < end ? [span(state, at, to)] : [];
  });
  return [span('work', attempt.started, end), ...pauses];
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
