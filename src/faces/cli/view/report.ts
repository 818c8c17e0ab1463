import { TASK_STATES } from '../../../tell/face/states.ts';
import type { Facts } from '../../../tell/report/facts.ts';
import { clock, counted, figure, moments, money, severalDays, took } from '../../../tell/report/format.ts';
import type { Paint } from '../out.ts';
import { columns, cut } from './columns.ts';

const TITLE = 44;
const REASON = 90;

/** A run as text: first what fits on a screen, then the sections. Empty sections are left out. */
export function reportLines(facts: Facts, paint: Paint): string[] {
  const sections = [landed, who, waiting, checks, back, questions, reviews, left].map((section) => section(facts, paint));
  const shown = sections.filter((lines) => lines.length > 0);
  return [...overview(facts, paint), ...shown.flatMap((lines) => ['', ...lines])];
}

function overview(facts: Facts, paint: Paint): string[] {
  const { farm, period, lead, cost, attempts, agents, checks: all, conflicts, rejected, questions: asked } = facts;
  const sum = (figureOf: (one: Facts['checks'][number]) => number) => all.reduce((total, one) => total + figureOf(one), 0);
  const done = facts.landed.length === 0 ? 'nothing landed' : `${counted(facts.landed.length, 'task')} landed`;
  const lines: [string, string][] = [
    [
      'landed',
      `${figure(facts.landed.length)} in ${counted(facts.landings, 'landing')}, ${counted(attempts.total, 'attempt')} by ${counted(agents.length, 'agent')}`,
    ],
    ['time', lead.count === 0 ? '' : `${took(lead.p50_ms)} from ready to landed (median), p95 ${took(lead.p95_ms)}`],
    [
      'checks',
      all.length === 0
        ? ''
        : `${counted(
            sum((one) => one.runs),
            'run',
          )}, ${sum((one) => one.fails)} red, ${counted(
            sum((one) => one.flakes),
            'flake',
          )}`,
    ],
    ['back', `${counted(conflicts.entries.length, 'conflict')}, ${rejected.length} rejected, ${facts.taken_back.length} taken back`],
    ['questions', asked.asked === 0 ? 'none' : `${figure(asked.asked)}: ${asked.answered} answered, ${asked.open} open`],
    ['cost', cost.tokens === 0 ? 'not reported' : `${money(cost)}, ${figure(cost.tokens)} tokens`],
    ['left', facts.left.length === 0 ? 'nothing' : counted(facts.left.length, 'task')],
  ];
  return [
    `${paint.bold(`${farm.name} → ${farm.target}: ${done}`)}  ${paint.dim(`furrow ${farm.version}`)}`,
    paint.dim(`${moments(period)}; times are UTC`),
    ...(period.missing === null ? [] : [paint.yellow(`not complete: ${period.missing}`)]),
    '',
    ...columns(lines.filter(([, says]) => says !== '').map(([name, says]) => [paint.dim(name), says])),
  ];
}

/** A heading, and rows below it that begin with the names of their columns. */
function block(title: string, heads: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  return rows.length === 0
    ? []
    : [
        paint.bold(title),
        ...columns([...(heads.length > 0 ? [heads.map((head) => paint.dim(head))] : []), ...rows]).map((line) => `  ${line}`),
      ];
}

const name = ({ task, title }: { task: string; title: string }) => `${task} ${cut(title, TITLE)}`.trim();
const costs = (one: { usd: number; tokens: number }) => (one.tokens === 0 ? '' : one.usd > 0 ? money(one) : `${figure(one.tokens)} tokens`);

function landed({ landed: all, period }: Facts, paint: Paint): string[] {
  const days = severalDays(period);
  const rows = all.map((one) => [
    name(one),
    one.agent ?? 'a person',
    one.kind ?? '',
    one.commit?.slice(0, 9) ?? 'no change',
    clock(one.at, days),
    one.lead_ms === null ? '' : took(one.lead_ms),
    counted(one.attempts, 'attempt'),
    costs(one),
  ]);
  return block('What landed', ['task', 'by', 'kind', 'commit', 'at', 'from ready', '', ''], rows, paint);
}

function who({ agents }: Facts, paint: Paint): string[] {
  const rows = agents.map((one) => [
    one.name,
    one.kind,
    String(one.landed),
    String(one.attempts),
    String(one.failed),
    took(one.worked_ms),
    costs(one),
  ]);
  return block('By whom', ['agent', 'kind', 'landed', 'attempts', 'failed', 'time working', ''], rows, paint);
}

const WAITS: Readonly<Record<keyof Facts['waiting'], string>> = {
  dependencies: 'for other tasks to land',
  agent: 'for an agent',
  slot: 'for a check to begin',
  person: 'for a person',
  limit: 'for a provider',
};

function waiting({ waiting: all }: Facts, paint: Paint): string[] {
  const rows = (Object.keys(WAITS) as (keyof Facts['waiting'])[])
    .filter((key) => all[key].count > 0)
    .map((key) => [WAITS[key], took(all[key].total_ms), counted(all[key].count, 'time'), `longest ${took(all[key].longest_ms)}`]);
  return block('Waiting', [], rows, paint);
}

function checks({ checks: all }: Facts, paint: Paint): string[] {
  const rows = all.map((one) => [
    one.name,
    String(one.runs),
    String(one.fails),
    String(one.flakes),
    took(one.p50_ms),
    took(one.p95_ms),
    took(one.longest_ms),
  ]);
  return block('Checks', ['check', 'runs', 'red', 'flakes', 'median', 'p95', 'longest'], rows, paint);
}

function back({ conflicts, rejected, taken_back: takenBack, period }: Facts, paint: Paint): string[] {
  const days = severalDays(period);
  const row = (how: string) => (one: { task: string; title: string; at: string; reason: string | null }) => [
    name(one),
    how,
    clock(one.at, days),
    cut(one.reason ?? '', REASON),
  ];
  const rows = [
    ...conflicts.entries.map(row('conflict')),
    ...rejected.map(row('rejected')),
    ...takenBack.map((one) => row('taken back')({ ...one, reason: one.why })),
  ];
  return block('Sent back', [], rows, paint);
}

function questions({ questions: { list } }: Facts, paint: Paint): string[] {
  const rows = list.map((one) => [
    one.subject,
    one.kind,
    took(one.open_ms),
    one.closed === null ? 'open' : one.answered ? 'answered' : 'reason gone',
    cut(one.reason, REASON),
  ]);
  return block('Questions to a person', [], rows, paint);
}

function reviews({ reviews: { list }, races }: Facts, paint: Paint): string[] {
  const rows = list.map((one) => [name(one), `round ${one.round}`, one.state, one.reviewer ?? '']);
  const raced = races.map((one) => [name(one), counted(one.entrants, 'entrant'), one.outcome, one.winner ?? '']);
  return [...block('Reviews', [], rows, paint), ...block('Races', [], raced, paint)];
}

function left({ left: all }: Facts, paint: Paint): string[] {
  return block(
    'What is left',
    [],
    all.map((one) => [name(one), TASK_STATES[one.state].word, cut(one.reason ?? '', REASON)]),
    paint,
  );
}
