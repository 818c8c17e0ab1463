import type { FarmEvent } from '../../../src/api/contract.ts';
import type { ReportAttempt, ReportRows, ReportTask } from '../../../src/tell/report/rows.ts';

/** The run of the tests begins here; times are minutes after it. */
export const START = Date.parse('2026-03-02T09:00:00Z');
export const minute = (n: number) => START + n * 60_000;

export const HOSTILE = '<script>alert(1)</script>" onload="x';

function task(id: string, title: string, more: Partial<ReportTask> = {}): ReportTask {
  return {
    id,
    title,
    ref: `default/${id}`,
    phase: 'default',
    status: 'done',
    state: 'landed',
    priority: 'medium',
    depends_on: [],
    needs: [],
    agent: null,
    model: null,
    effort: null,
    attempt: 1,
    branch: null,
    commit: null,
    taken_by: null,
    reason: null,
    missing: null,
    unchanged: null,
    ...more,
  };
}

const attempt = (
  id: number,
  ref: string,
  n: number,
  agent: string,
  from: number,
  to: number | null,
  outcome: ReportRows['attempts'][number]['outcome'],
) => ({
  id,
  task: ref,
  n,
  agent,
  kind: agent === 'wise-crow' ? 'codex' : 'claude',
  started: minute(from),
  ended: to === null ? null : minute(to),
  outcome,
});

const entry = (
  id: number,
  ref: string,
  n: number,
  agent: string | null,
  from: number,
  to: number,
  state: ReportRows['entries'][number]['state'],
  reason: string | null = null,
) => ({
  id,
  task: ref,
  attempt: n,
  agent,
  title: `title of ${ref}`,
  state,
  reason,
  at: minute(from),
  ended: minute(to),
});

const event = (seq: number, at: number, kind: string, more: Partial<ReportRows['events'][number]> = {}) => ({
  seq,
  at: minute(at),
  kind,
  agent: null,
  task: null,
  attempt: null,
  data: {},
  ...more,
});

const run = (tree: string, outcome: 'pass' | 'fail' | 'error', at: number, seconds: number) => ({
  tree,
  about: null,
  check: 'id-of-unit',
  name: 'unit',
  outcome,
  at: minute(at),
  ms: seconds * 1000,
  log: 'x.log',
});

/**
 * Two agents and five tasks: 1 lands at once; 2 depends on it, is rejected once and lands; 3 conflicts and is taken back; 4 needed no
 * change; 5 is parked with an open question. A person's branch lands as well.
 */
const rows: Omit<ReportRows, 'timeline'> = {
  now: minute(120),
  since: START,
  sinceWords: 'the run of the test',
  farm: { name: 'app', target: 'main', version: '9.9.9', state: 'stopped' },
  kept: { first: 1, firstAt: START, last: 240 },
  oldestRun: null,
  tasks: [
    task('1', 'Parse dates'),
    task('2', HOSTILE, { depends_on: ['1'], needs: ['default/1'], attempt: 2 }),
    task('3', 'Sort the list', { state: 'ready', attempt: 2 }),
    task('4', 'Remove what is unused', { unchanged: 'nothing is unused' }),
    task('5', 'Rewrite it all', { state: 'parked', reason: 'failed 3 times' }),
    task('6', 'An old one', { state: 'archived' }),
  ],
  titles: new Map([['review-1', 'review of 1']]),
  attempts: [
    attempt(1, 'default/1', 1, 'calm-otter', 2, 10, 'submitted'),
    attempt(2, 'default/2', 1, 'calm-otter', 16, 20, 'submitted'),
    attempt(3, 'default/3', 1, 'wise-crow', 2, 12, 'submitted'),
    attempt(4, 'default/2', 2, 'wise-crow', 26, 40, 'submitted'),
    attempt(5, 'default/4', 1, 'calm-otter', 21, 24, 'unchanged'),
    attempt(6, 'default/5', 1, 'calm-otter', 25, 60, 'crashed'),
    attempt(7, 'default/5', 2, 'calm-otter', 61, null, null),
  ],
  usage: [
    { attempt: 1, input: 100, output: 50, cache_read: 40, cache_write: 10, micros: 250_000, at: minute(10) },
    { attempt: 4, input: 300, output: 100, cache_read: 0, cache_write: 0, micros: 750_000, at: minute(40) },
    { attempt: 6, input: 10, output: 5, cache_read: 0, cache_write: 0, micros: null, at: minute(60) },
  ],
  entries: [
    entry(1, 'default/1', 1, 'calm-otter', 10, 14, 'landed'),
    entry(2, 'default/3', 1, 'wise-crow', 12, 15, 'conflict', 'conflicts with main in src/list.ts'),
    entry(3, 'default/2', 1, 'calm-otter', 20, 24, 'rejected', 'unit fails (exit 1)'),
    entry(4, 'default/2', 2, 'wise-crow', 40, 46, 'landed'),
    entry(5, '@branch/fix/typo', 1, null, 50, 52, 'landed'),
  ],
  landings: [
    { id: 1, commit: 'aaa', steps: '[{"entry":1,"commit":"aaaaaaaaaaaa","tree":"t1"}]', at: minute(14), removed: null },
    { id: 2, commit: 'bbb', steps: '[{"entry":4,"commit":"bbbbbbbbbbbb","tree":"t2"}]', at: minute(46), removed: null },
    { id: 3, commit: 'ccc', steps: '[{"entry":5,"commit":"cccccccccccc","tree":"t3"}]', at: minute(52), removed: null },
  ],
  runs: [
    run('t1', 'pass', 14, 60),
    run('t0', 'fail', 22, 30),
    run('t2', 'fail', 43, 30),
    run('t2', 'pass', 46, 90),
    run('t3', 'error', 51, 1),
  ],
  questions: [
    {
      id: 1,
      kind: 'permission',
      subject: 'default/1',
      reason: 'may I?',
      since: minute(4),
      closed: minute(6),
      answer: 'answered: yes',
      agent: 'calm-otter',
    },
    { id: 2, kind: 'parked', subject: 'default/5', reason: 'failed 3 times', since: minute(100), closed: null, answer: null, agent: null },
    {
      id: 3,
      kind: 'queue',
      subject: 'queue',
      reason: 'main is red',
      since: minute(30),
      closed: minute(31),
      answer: 'it goes on',
      agent: null,
    },
    {
      id: 4,
      kind: 'blocked',
      subject: 'default/3',
      reason: 'which order?',
      since: minute(60),
      closed: minute(70),
      answer: 'by name',
      agent: null,
    },
  ],
  reviews: [{ task: 'default/1', round: 1, state: 'approved', reviewer: 'wise-crow', at: minute(11) }],
  races: [{ id: 1, task: 'default/2', outcome: 'won', winner: 2, why: 'fewer lines', at: minute(16) }],
  entrants: [
    { race: 1, n: 1, agent: 'calm-otter' },
    { race: 1, n: 2, agent: 'wise-crow' },
  ],
  reverts: [{ task: 'default/3', entry: 9, check: 'e2e', at: minute(80), reopened: minute(81) }],
  events: [
    event(1, 0, 'board.imported'),
    event(2, 1, 'work.started', { data: { phase: 'default' } }),
    event(5, 8, 'conflict.predicted', { agent: 'wise-crow' }),
    event(6, 11, 'entry.checking', { task: 'default/1', attempt: 1 }),
    event(7, 30, 'provider.limited', { data: { provider: 'claude', until: minute(60) } }),
    event(8, 35, 'provider.served', { data: { provider: 'claude' } }),
    event(9, 70, 'question.answered', { data: { question: 4 } }),
  ],
};

/** The events that attempts leave: their starts and ends, and in the first one a wait for an answer. */
function timelineOf(attempts: readonly ReportAttempt[]): FarmEvent[] {
  const of = ({ agent, task, n, outcome }: ReportAttempt, kind: string, at: number, data = {}) => ({
    ...{ at: new Date(at).toISOString(), kind, agent, task: task.slice(task.indexOf('/') + 1), attempt: n, text: kind },
    data: { ref: task, outcome, ...data },
  });
  const [first] = attempts;
  return [
    ...attempts.map((one) => of(one, 'attempt.started', one.started)),
    ...attempts.flatMap((one) => (one.ended === null ? [] : [of(one, 'attempt.ended', one.ended)])),
    of(first!, 'agent.state', minute(5), { state: 'waiting' }),
    of(first!, 'agent.state', minute(6), { state: 'working' }),
  ]
    .sort((a, b) => a.at.localeCompare(b.at))
    .map((one, n) => ({ seq: n + 1, ...one }));
}

export const story: ReportRows = { ...rows, timeline: timelineOf(rows.attempts) };
