import { ENTRY_STATES, TASK_STATES } from '../face/states.ts';
import type { Facts } from './facts.ts';
import { clock, counted, figure, money, severalDays, took } from './format.ts';
import { type Part, type Section, table } from './section.ts';

/** The sections of a report, for every form of it. One that has nothing to tell is left out. */
export function sectionsOf(facts: Facts): Section[] {
  return [landed, who, cost, waiting, checks, back, questions, reviews, left].flatMap((section) => section(facts) ?? []);
}

type OrNothing = Section | undefined;

const costs = (one: { usd: number; tokens: number }) => (one.tokens === 0 ? '' : one.usd > 0 ? money(one) : `${figure(one.tokens)} tokens`);
const task = (one: { task: string; title: string }) => `${one.task} ${one.title}`.trim();
const none = (count: number) => (count === 0 ? '' : count);

function landed({ landed: all, lead, period }: Facts): Section {
  if (all.length === 0) return { title: 'What landed', parts: [{ note: 'Nothing landed in this period.' }] };
  const days = severalDays(period);
  const shown = table(all, [
    { head: 'Task', cell: task, long: true },
    { head: 'By', cell: (one) => one.agent ?? 'a person' },
    { head: 'Kind', cell: (one) => one.kind, optional: true },
    { head: 'Commit', cell: ({ commit }) => (commit === null ? 'no change' : { code: commit.slice(0, 9) }), whole: true },
    { head: 'Landed', cell: (one) => clock(one.at, days), whole: true },
    { head: 'From ready', cell: (one) => (one.lead_ms === null ? '' : took(one.lead_ms)), number: true, optional: true },
    { head: 'Attempts', cell: (one) => one.attempts, number: true },
    { head: 'Cost', cell: costs, number: true, optional: true },
  ]);
  const typical = lead.count > 0 && { note: `From ready to landed: median ${took(lead.p50_ms)}, p95 ${took(lead.p95_ms)}.` };
  return { title: 'What landed', parts: [{ ...typical, table: shown }] };
}

function who({ agents, kinds }: Facts): OrNothing {
  if (agents.length === 0) return undefined;
  const figures = [
    { head: 'Landed', cell: (one: Facts['kinds'][number]) => one.landed, number: true },
    { head: 'Attempts', cell: (one: Facts['kinds'][number]) => one.attempts, number: true },
    { head: 'Failed', cell: (one: Facts['kinds'][number]) => one.failed, number: true },
    { head: 'Time working', cell: (one: Facts['kinds'][number]) => took(one.worked_ms), number: true },
    { head: 'Tokens', cell: (one: Facts['kinds'][number]) => (one.tokens === 0 ? '' : figure(one.tokens)), number: true, optional: true },
    { head: 'Cost', cell: costs, number: true, optional: true },
  ] as const;
  const each = table(agents, [{ head: 'Agent', cell: (one) => one.name }, { head: 'Kind', cell: (one) => one.kind }, ...figures]);
  const byKind = (): Part => ({
    heading: 'By kind of agent',
    table: table(kinds, [{ head: 'Kind', cell: (one) => one.name }, ...figures]),
  });
  return { title: 'By whom', parts: [{ table: each }, ...(kinds.length > 1 ? [byKind()] : [])] };
}

/** The cost in money or tokens, the highest first, also of work that has not landed. */
function cost({ cost: { tasks, partial } }: Facts): OrNothing {
  if (tasks.length === 0) return undefined;
  const rows = tasks.toSorted((a, b) => b.usd - a.usd || b.tokens - a.tokens);
  const shown = table(rows, [
    { head: 'Task', cell: ({ id, title }) => task({ task: id, title }), long: true },
    { head: 'State', cell: (one) => (one.landed ? 'landed' : 'not landed'), whole: true },
    { head: 'Cost', cell: (one) => (one.usd > 0 ? money(one) : ''), number: true, optional: true },
    { head: 'Tokens', cell: (one) => figure(one.tokens), number: true },
    { head: 'In', cell: (one) => figure(one.input), number: true },
    { head: 'Out', cell: (one) => figure(one.output), number: true },
    { head: 'Cached', cell: (one) => figure(one.cached), number: true },
  ]);
  const unpriced = partial && { soft: 'Some agents report tokens only, and no price is set for their kind.' };
  return { title: 'Cost by task', parts: [{ ...unpriced, table: shown }] };
}

const WAITS: readonly (readonly [keyof Facts['waiting'], string, string])[] = [
  ['dependencies', 'for other tasks to land', 'a task depends on them'],
  ['agent', 'for an agent', 'nothing held the task back, and no agent was free'],
  ['slot', 'for a check', 'in the queue, and not checked yet'],
  ['person', 'for a person', 'a question was open'],
  ['limit', 'for a provider', 'it refused to serve for a while'],
];

function waiting({ waiting: all }: Facts): OrNothing {
  const rows = WAITS.map(([key, what, why]) => ({ what, why, ...all[key] })).filter(({ count }) => count > 0);
  if (rows.length === 0) return undefined;
  const shown = table(rows, [
    { head: 'Waited', cell: (one) => one.what },
    { head: 'Because', cell: (one) => one.why },
    { head: 'Times', cell: (one) => one.count, number: true },
    { head: 'In all', cell: (one) => took(one.total_ms), number: true },
    { head: 'Longest', cell: (one) => took(one.longest_ms), number: true },
  ]);
  return { title: 'Waiting', parts: [{ soft: 'Several may wait at once, so that a sum may be longer than the run.', table: shown }] };
}

function checks({ checks: all, flakes, period }: Facts): OrNothing {
  if (all.length === 0) return undefined;
  const days = severalDays(period);
  const shown = table(all, [
    { head: 'Check', cell: (one) => one.name },
    { head: 'Runs', cell: (one) => one.runs, number: true },
    { head: 'Passed', cell: (one) => one.passes, number: true },
    { head: 'Red', cell: (one) => one.fails, number: true },
    { head: 'No answer', cell: (one) => none(one.errors), number: true, optional: true },
    { head: 'Flakes', cell: (one) => one.flakes, number: true },
    { head: 'Median', cell: (one) => took(one.p50_ms), number: true },
    { head: 'p95', cell: (one) => took(one.p95_ms), number: true },
    { head: 'Longest', cell: (one) => took(one.longest_ms), number: true },
  ]);
  const flaked = (): Part => ({
    heading: 'Flakes',
    soft: 'Red on a tree that also passed: the tree did not change, so the check did.',
    table: table(flakes, [
      { head: 'Check', cell: (one) => one.check },
      { head: 'Tree', cell: (one) => ({ code: one.tree.slice(0, 9) }) },
      { head: 'At', cell: (one) => clock(one.at, days), whole: true },
    ]),
  });
  return { title: 'Checks', parts: [{ table: shown }, ...(flakes.length > 0 ? [flaked()] : [])] };
}

/** Work that came back: conflicts, red checks, and what was taken out again after it had landed. */
function back({ conflicts, rejected, taken_back: takenBack, period }: Facts): OrNothing {
  const days = severalDays(period);
  const rows = [
    ...conflicts.entries.map((one) => ({ ...one, how: ENTRY_STATES.conflict.word })),
    ...rejected.map((one) => ({ ...one, how: ENTRY_STATES.rejected.word })),
    ...takenBack.map((one) => ({ ...one, how: 'taken back', reason: one.why })),
  ].sort((a, b) => a.at.localeCompare(b.at));
  const { predicted } = conflicts;
  const were = predicted === 1 ? 'was' : 'were';
  const warned = predicted > 0 && { note: `${counted(predicted, 'conflict')} between agents ${were} told before anything was submitted.` };
  if (rows.length === 0) return warned ? { title: 'Sent back', parts: [warned] } : undefined;
  const shown = table(rows, [
    { head: 'Task', cell: task, long: true },
    { head: 'How', cell: (one) => one.how, whole: true },
    { head: 'At', cell: (one) => clock(one.at, days), whole: true },
    { head: 'Why', cell: (one) => one.reason, optional: true, long: true },
  ]);
  return { title: 'Sent back', parts: [{ ...warned, table: shown }] };
}

function questions({ questions: { answered, asked, list, open, time }, period }: Facts): OrNothing {
  if (asked === 0) return undefined;
  const days = severalDays(period);
  const half = time.count > 0 ? ` Half were closed within ${took(time.p50_ms)}; the longest took ${took(time.longest_ms)}.` : '';
  const gone = asked - answered - open;
  const note = `${counted(asked, 'question')}: ${answered} answered, ${gone} no longer needed an answer, ${open} still open.${half}`;
  const shown = table(list, [
    { head: 'About', cell: (one) => one.subject },
    { head: 'Question', cell: (one) => one.reason, long: true },
    { head: 'Kind', cell: (one) => one.kind },
    { head: 'Asked', cell: (one) => clock(one.since, days), whole: true },
    { head: 'Open for', cell: (one) => took(one.open_ms), number: true },
    { head: 'End', cell: (one) => (one.closed === null ? 'still open' : one.answered ? 'answered' : 'reason gone') },
  ]);
  return { title: 'Questions to a person', parts: [{ note, table: shown }] };
}

function reviews({ reviews: { approved, asked, findings, list, overruled }, races, period }: Facts): OrNothing {
  if (asked === 0 && races.length === 0) return undefined;
  const days = severalDays(period);
  const reviewed = (): Part => ({
    note: `${counted(asked, 'review')}: ${approved} approved, ${findings} with findings, ${overruled} overruled.`,
    table: table(list, [
      { head: 'Task', cell: task, long: true },
      { head: 'Round', cell: (one) => one.round, number: true },
      { head: 'Answer', cell: (one) => one.state },
      { head: 'By', cell: (one) => one.reviewer, optional: true },
      { head: 'Asked', cell: (one) => clock(one.at, days), whole: true },
    ]),
  });
  const raced = (): Part => ({
    heading: 'Races',
    table: table(races, [
      { head: 'Task', cell: task, long: true },
      { head: 'Entrants', cell: (one) => one.entrants, number: true },
      { head: 'Outcome', cell: (one) => one.outcome },
      { head: 'Winner', cell: (one) => one.winner, optional: true },
      { head: 'Why', cell: (one) => one.why, optional: true, long: true },
    ]),
  });
  return { title: 'Reviews and races', parts: [...(asked > 0 ? [reviewed()] : []), ...(races.length > 0 ? [raced()] : [])] };
}

function left({ left: all }: Facts): OrNothing {
  if (all.length === 0) return undefined;
  const shown = table(all, [
    { head: 'Task', cell: task, long: true },
    { head: 'State', cell: (one) => TASK_STATES[one.state].word },
    { head: 'Why', cell: (one) => one.reason, optional: true, long: true },
  ]);
  return { title: 'What is left', parts: [{ table: shown }] };
}
