import type { History, Moment, Span } from './timeline.ts';

/** A span as far as it lies in the window, with the line of its lane that it is drawn in. */
export interface ShownSpan extends Omit<Span, 'to'> {
  readonly to: number;
  readonly open: boolean;
  readonly line: number;
}

export interface ShownLane {
  readonly agent: string | null;
  readonly spans: readonly ShownSpan[];
  readonly moments: readonly Moment[];
  /** Lines that it needs: one for the agent's own time, the others for its work in the queue. */
  readonly lines: number;
  /** Milliseconds in the window, by kind of span. */
  readonly spent: Readonly<Partial<Record<Span['kind'], number>>>;
}

export interface TimelineWindow {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

/** The lanes of a window of time, those of agents by their names, people's last. An open span lasts until now. */
export function lanesIn(history: History, window: TimelineWindow): ShownLane[] {
  const lanes = [...history.lanes.values()].map(({ agent, spans, moments }) => {
    const within = spans.flatMap((span) => cut(span, window));
    const lined = inLines(within);
    const shown = moments.filter(({ at }) => at >= window.from && at <= window.to);
    return { agent, spans: lined, moments: shown, lines: 1 + Math.max(0, ...lined.map(({ line }) => line)), spent: spentIn(lined) };
  });
  return lanes
    .filter(({ spans, moments }) => spans.length + moments.length > 0)
    .sort(
      (a, b) =>
        Number(a.agent === null) - Number(b.agent === null) || (a.agent ?? '').localeCompare(b.agent ?? '', 'en', { numeric: true }),
    );
}

type Cut = Omit<ShownSpan, 'line'>;

function cut(span: Span, { from, to, now }: TimelineWindow): Cut[] {
  const end = Math.min(span.to ?? Math.max(now, span.from), to);
  const begin = Math.max(span.from, from);
  return end < from || begin > to || end < begin ? [] : [{ ...span, from: begin, to: end, open: span.to === null && end < to }];
}

/** The agent's own time is line 0; work in the queue gets the first line below that is free at its time. One entry stays in its line. */
function inLines(spans: readonly Cut[]): ShownSpan[] {
  const free: number[] = [];
  const places = new Map<string, { line: number; until: number }>();
  return spans
    .toSorted((a, b) => a.from - b.from)
    .map((span) => {
      if (span.track === 'work') return { ...span, line: 0 };
      const key = `${span.ref} ${span.attempt}`;
      const kept = places.get(key);
      const line = kept && kept.until >= span.from ? kept.line : firstFree(free, span.from);
      free[line] = span.to;
      places.set(key, { line, until: span.to });
      return { ...span, line: line + 1 };
    });
}

function firstFree(free: readonly number[], at: number): number {
  const found = free.findIndex((until) => until <= at);
  return found < 0 ? free.length : found;
}

function spentIn(spans: readonly ShownSpan[]): ShownLane['spent'] {
  const spent: Partial<Record<Span['kind'], number>> = {};
  for (const { kind, from, to } of spans) spent[kind] = (spent[kind] ?? 0) + to - from;
  return spent;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400].map((s) => s * 1000);

/** Round times for the axis of a window, about as many as are wanted. */
export function ticksIn({ from, to }: Pick<TimelineWindow, 'from' | 'to'>, wanted: number): number[] {
  const length = Math.max(1, to - from);
  const step = STEPS.find((one) => length / one <= wanted) ?? Math.ceil(length / wanted / STEPS.at(-1)!) * STEPS.at(-1)!;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, at) => first + at * step);
}
