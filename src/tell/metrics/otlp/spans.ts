import { createHash } from 'node:crypto';
import { readyTimes } from '../../report/ready.ts';
import type { ReportAttempt, ReportEntry, ReportRows } from '../../report/rows.ts';

/** A part of an attempt's life. */
export interface Span {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** False: it failed; undefined: neither can be said. */
  readonly good?: boolean | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

type Rows = Pick<ReportRows, 'tasks' | 'attempts' | 'entries' | 'events'>;

/**
 * The trace of each attempt that is over, its entry included: ready, started, submitted, under check, landed. Ids are made of the
 * farm and the attempt, so that one that is sent again after a restart is the same trace and not another.
 */
export function tracesOf(rows: Rows, farm: string): { attempt: number; spans: Span[] }[] {
  const entries = new Map(rows.entries.map((entry) => [`${entry.task} ${entry.attempt}`, entry]));
  const checking = new Map(
    rows.events
      .filter(({ kind }) => kind === 'entry.checking')
      .toReversed()
      .map((one) => [`${one.task} ${one.attempt}`, one.at]),
  );
  const ready = readyTimes(rows);
  return rows.attempts.flatMap((attempt) => {
    const key = `${attempt.task} ${attempt.n}`;
    const entry = entries.get(key);
    if (attempt.ended === null || (attempt.outcome === 'submitted' && (!entry || entry.ended === null))) return [];
    const from = attempt.n === 1 ? (ready.get(attempt.task)?.at ?? attempt.started) : attempt.started;
    return [
      { attempt: attempt.id, spans: spansOf({ ...attempt, ended: attempt.ended }, entry, { farm, from, checking: checking.get(key) }) },
    ];
  });
}

interface Known {
  readonly farm: string;
  readonly from: number;
  readonly checking: number | undefined;
}

function spansOf(attempt: ReportAttempt & { ended: number }, entry: ReportEntry | undefined, { farm, from, checking }: Known): Span[] {
  const trace = hash(`${farm} attempt ${attempt.id} ${attempt.started}`).slice(0, 32);
  const id = (name: string) => hash(`${trace} ${name}`).slice(0, 16);
  const end = entry?.ended ?? attempt.ended;
  const good = entry
    ? entry.state === 'landed'
    : GOOD.has(attempt.outcome ?? '')
      ? true
      : BAD.has(attempt.outcome ?? '')
        ? false
        : undefined;
  const part = (name: string, begin: number, to: number, more: Partial<Span> = {}): Span[] =>
    to < begin ? [] : [{ trace, id: id(name), parent: id('attempt'), name, from: begin, to, attributes: {}, ...more }];
  const whole: Span = { trace, id: id('attempt'), name: 'attempt', from, to: end, good, attributes: about(attempt, entry) };
  const queued = entry ? part('in the queue', entry.at, Math.min(checking ?? end, end)) : [];
  const checked = entry && checking !== undefined ? part('under check', checking, end) : [];
  return [
    whole,
    ...(from < attempt.started ? part('ready', from, attempt.started) : []),
    ...part('at work', attempt.started, attempt.ended),
    ...queued,
    ...checked,
  ];
}

const GOOD: ReadonlySet<string> = new Set(['answered', 'unchanged']);
const BAD: ReadonlySet<string> = new Set(['failed', 'crashed', 'timeout', 'blocked']);

const about = ({ task, n, agent, kind, outcome }: ReportAttempt, entry: ReportEntry | undefined) => ({
  'furrow.task': task,
  'furrow.attempt': String(n),
  'furrow.agent': agent,
  'furrow.kind': kind,
  'furrow.outcome': outcome ?? '',
  ...(entry && { 'furrow.entry': entry.state }),
});

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
