import { ENTRY_STATES, TASK_STATES } from '../../face/states.ts';
import type { Facts } from '../facts.ts';
import { clock, counted, figure, money, severalDays, took } from '../format.ts';
import { html, type Markup, type Piece } from './markup.ts';
import { table } from './table.ts';

/** A heading and what is below it; nothing where there is nothing to tell. */
const section = (title: string, ...content: readonly Piece[]): Markup =>
  html`<section><h2>${title}</h2>
${content}</section>
`;

const short = (commit: string | null) => (commit === null ? 'no change' : html`<code>${commit.slice(0, 9)}</code>`);
const costs = (one: { usd: number; tokens: number }) => (one.tokens === 0 ? '' : one.usd > 0 ? money(one) : `${figure(one.tokens)} tokens`);
const task = (one: { task: string; title: string }) => html`${one.task}${one.title !== '' && html` ${one.title}`}`;

export function landedSection({ landed, lead, period }: Facts): Piece {
  if (landed.length === 0) return section('What landed', html`<p>Nothing landed in this period.</p>`);
  const days = severalDays(period);
  const typical = lead.count > 0 && html`<p>From ready to landed: median ${took(lead.p50_ms)}, p95 ${took(lead.p95_ms)}.</p>`;
  return section(
    'What landed',
    typical,
    table(landed, [
      { head: 'Task', cell: task, long: true },
      { head: 'By', cell: (one) => one.agent ?? 'a person' },
      { head: 'Kind', cell: (one) => one.kind, optional: true },
      { head: 'Commit', cell: (one) => short(one.commit), whole: true },
      { head: 'Landed', cell: (one) => clock(one.at, days), whole: true },
      { head: 'From ready', cell: (one) => (one.lead_ms === null ? '' : took(one.lead_ms)), number: true, optional: true },
      { head: 'Attempts', cell: (one) => one.attempts, number: true },
      { head: 'Cost', cell: costs, number: true, optional: true },
    ]),
  );
}

export function whoSection({ agents, kinds }: Facts): Piece {
  if (agents.length === 0) return false;
  const figures = [
    { head: 'Landed', cell: (one: Facts['kinds'][number]) => one.landed, number: true },
    { head: 'Attempts', cell: (one: Facts['kinds'][number]) => one.attempts, number: true },
    { head: 'Failed', cell: (one: Facts['kinds'][number]) => one.failed, number: true },
    { head: 'Time working', cell: (one: Facts['kinds'][number]) => took(one.worked_ms), number: true },
    { head: 'Tokens', cell: (one: Facts['kinds'][number]) => (one.tokens === 0 ? '' : figure(one.tokens)), number: true, optional: true },
    { head: 'Cost', cell: costs, number: true, optional: true },
  ] as const;
  return section(
    'By whom',
    table(agents, [{ head: 'Agent', cell: (one) => one.name }, { head: 'Kind', cell: (one) => one.kind }, ...figures]),
    kinds.length > 1 && html`<h3>By kind of agent</h3>${table(kinds, [{ head: 'Kind', cell: (one) => one.name }, ...figures])}`,
  );
}

/** The cost in money or tokens, the highest first, also of work that has not landed. */
export function costSection({ cost }: Facts): Piece {
  if (cost.tasks.length === 0) return false;
  const rows = cost.tasks.toSorted((a, b) => b.usd - a.usd || b.tokens - a.tokens);
  return section(
    'Cost by task',
    cost.partial && html`<p class="soft">Some agents report tokens only, and no price is set for their kind.</p>`,
    table(rows, [
      { head: 'Task', cell: (one) => task({ task: one.id, title: one.title }), long: true },
      { head: 'State', cell: (one) => (one.landed ? 'landed' : 'not landed'), whole: true },
      { head: 'Cost', cell: (one) => (one.usd > 0 ? money(one) : ''), number: true, optional: true },
      { head: 'Tokens', cell: (one) => figure(one.tokens), number: true },
      { head: 'In', cell: (one) => figure(one.input), number: true },
      { head: 'Out', cell: (one) => figure(one.output), number: true },
      { head: 'Cached', cell: (one) => figure(one.cached), number: true },
    ]),
  );
}

const WAITS: readonly (readonly [keyof Facts['waiting'], string, string])[] = [
  ['dependencies', 'for other tasks to land', 'a task depends on them'],
  ['agent', 'for an agent', 'nothing held the task back, and no agent was free'],
  ['slot', 'for a check', 'in the queue, and not checked yet'],
  ['person', 'for a person', 'a question was open'],
  ['limit', 'for a provider', 'it refused to serve for a while'],
];

export function waitingSection({ waiting }: Facts): Piece {
  const rows = WAITS.map(([key, what, why]) => ({ what, why, ...waiting[key] })).filter(({ count }) => count > 0);
  if (rows.length === 0) return false;
  return section(
    'Waiting',
    html`<p class="soft">Several may wait at once, so that a sum may be longer than the run.</p>`,
    table(rows, [
      { head: 'Waited', cell: (one) => one.what },
      { head: 'Because', cell: (one) => one.why },
      { head: 'Times', cell: (one) => one.count, number: true },
      { head: 'In all', cell: (one) => took(one.total_ms), number: true },
      { head: 'Longest', cell: (one) => took(one.longest_ms), number: true },
    ]),
  );
}

export function checksSection({ checks, flakes, period }: Facts): Piece {
  if (checks.length === 0) return false;
  const days = severalDays(period);
  return section(
    'Checks',
    table(checks, [
      { head: 'Check', cell: (one) => one.name },
      { head: 'Runs', cell: (one) => one.runs, number: true },
      { head: 'Passed', cell: (one) => one.passes, number: true },
      { head: 'Red', cell: (one) => one.fails, number: true },
      { head: 'No answer', cell: (one) => one.errors || '', number: true, optional: true },
      { head: 'Flakes', cell: (one) => one.flakes, number: true },
      { head: 'Median', cell: (one) => took(one.p50_ms), number: true },
      { head: 'p95', cell: (one) => took(one.p95_ms), number: true },
      { head: 'Longest', cell: (one) => took(one.longest_ms), number: true },
    ]),
    flakes.length > 0 &&
      html`<h3>Flakes</h3><p class="soft">Red on a tree that also passed: the tree did not change, so the check did.</p>${table(flakes, [
        { head: 'Check', cell: (one) => one.check },
        { head: 'Tree', cell: (one) => html`<code>${one.tree.slice(0, 9)}</code>` },
        { head: 'At', cell: (one) => clock(one.at, days), whole: true },
      ])}`,
  );
}

/** Work that came back: conflicts, red checks, and what was taken out again after it had landed. */
export function backSection({ conflicts, rejected, taken_back: takenBack, period }: Facts): Piece {
  const days = severalDays(period);
  const rows = [
    ...conflicts.entries.map((one) => ({ ...one, how: ENTRY_STATES.conflict.word })),
    ...rejected.map((one) => ({ ...one, how: ENTRY_STATES.rejected.word })),
    ...takenBack.map((one) => ({ ...one, how: 'taken back', reason: one.why })),
  ].sort((a, b) => a.at.localeCompare(b.at));
  const warned =
    conflicts.predicted > 0 &&
    html`<p>${counted(conflicts.predicted, 'conflict')} between agents ${conflicts.predicted === 1 ? 'was' : 'were'} told before anything was submitted.</p>`;
  if (rows.length === 0) return warned && section('Sent back', warned);
  return section(
    'Sent back',
    warned,
    table(rows, [
      { head: 'Task', cell: task, long: true },
      { head: 'How', cell: (one) => one.how, whole: true },
      { head: 'At', cell: (one) => clock(one.at, days), whole: true },
      { head: 'Why', cell: (one) => one.reason, optional: true, long: true },
    ]),
  );
}

export function questionsSection({ questions, period }: Facts): Piece {
  if (questions.asked === 0) return false;
  const days = severalDays(period);
  const { answered, open, asked, time } = questions;
  const half = time.count > 0 && html` Half were closed within ${took(time.p50_ms)}; the longest took ${took(time.longest_ms)}.`;
  return section(
    'Questions to a person',
    html`<p>${counted(asked, 'question')}: ${answered} answered, ${asked - answered - open} no longer needed an answer, ${open} still open.${half}</p>`,
    table(questions.list, [
      { head: 'About', cell: (one) => one.subject },
      { head: 'Question', cell: (one) => one.reason, long: true },
      { head: 'Kind', cell: (one) => one.kind },
      { head: 'Asked', cell: (one) => clock(one.since, days), whole: true },
      { head: 'Open for', cell: (one) => took(one.open_ms), number: true },
      { head: 'End', cell: (one) => (one.closed === null ? 'still open' : one.answered ? 'answered' : 'reason gone') },
    ]),
  );
}

export function reviewsSection({ reviews, races, period }: Facts): Piece {
  if (reviews.asked === 0 && races.length === 0) return false;
  const days = severalDays(period);
  return section(
    'Reviews and races',
    reviews.asked > 0 &&
      html`<p>${counted(reviews.asked, 'review')}: ${reviews.approved} approved, ${reviews.findings} with findings, ${reviews.overruled} overruled.</p>${table(
        reviews.list,
        [
          { head: 'Task', cell: task, long: true },
          { head: 'Round', cell: (one) => one.round, number: true },
          { head: 'Answer', cell: (one) => one.state },
          { head: 'By', cell: (one) => one.reviewer, optional: true },
          { head: 'Asked', cell: (one) => clock(one.at, days), whole: true },
        ],
      )}`,
    races.length > 0 &&
      html`<h3>Races</h3>${table(races, [
        { head: 'Task', cell: task, long: true },
        { head: 'Entrants', cell: (one) => one.entrants, number: true },
        { head: 'Outcome', cell: (one) => one.outcome },
        { head: 'Winner', cell: (one) => one.winner, optional: true },
        { head: 'Why', cell: (one) => one.why, optional: true, long: true },
      ])}`,
  );
}

export function leftSection({ left }: Facts): Piece {
  if (left.length === 0) return false;
  return section(
    'What is left',
    table(left, [
      { head: 'Task', cell: task, long: true },
      { head: 'State', cell: (one) => TASK_STATES[one.state].word },
      { head: 'Why', cell: (one) => one.reason, optional: true, long: true },
    ]),
  );
}
