import type { In } from '../../../api/contract.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Facts } from '../../../tell/report/facts.ts';
import { counted, figure, moments, money, took } from '../../../tell/report/format.ts';
import type { Cell, Section, Table } from '../../../tell/report/section.ts';
import { sectionsOf } from '../../../tell/report/sections.ts';
import type { Context } from '../command.ts';
import { type Paint, paintFor, stdout, write } from '../out.ts';
import { columns, cut } from '../view/columns.ts';

/** The facts come from the farm; the page and the text are made of them here. */
export async function report(context: Context): Promise<void> {
  const { args } = context;
  const text = args.text('since');
  const since = text === undefined ? {} : readSince(text, new Date());
  if (since === undefined) throw wrongSince(text!);
  const facts = await context.ask('report', since);
  if (context.json) return;
  if (args.flag('html')) {
    const { page } = await import('../../../tell/report/html/page.ts');
    write(stdout, page(facts));
    return;
  }
  context.print(...reportLines(facts, paintFor(stdout)));
}

const wrongSince = (text: string) =>
  new FurrowError('USAGE', `--since takes a duration (2h), a time (14:30), a date or the number of an event, not "${text}"`, {
    hint: 'furrow report --help',
  });

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
const DURATION = /^(?:\d{1,6}[dhms])+$/;

/** Reads `--since`: the number of an event, a duration back from now (`2h`, `1d12h`), a time of today (`14:30`) or a date. */
export function readSince(text: string, now: Date): In<'report'> | undefined {
  if (/^\d{1,15}$/.test(text)) return { seq: Number(text) };
  if (DURATION.test(text)) return { at: new Date(now.getTime() - durationOf(text)).toISOString() };
  const at = timeOf(text, now);
  return at && !Number.isNaN(at.getTime()) ? { at: at.toISOString() } : undefined;
}

const durationOf = (text: string) => [...text.matchAll(/(\d+)([dhms])/g)].reduce((sum, [, n, unit]) => sum + Number(n) * UNITS[unit!]!, 0);

function timeOf(text: string, now: Date): Date | undefined {
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (clock) return new Date(now.getFullYear(), now.getMonth(), now.getDate(), Number(clock[1]), Number(clock[2]));
  // A date alone begins where the person is, as its clock does.
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return new Date(`${text}T00:00`);
  return /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text) ? new Date(text.replace(' ', 'T')) : undefined;
}

const TITLE = 44;
const REASON = 90;

/** A run as text: first what fits on a screen, then the tables of its sections. */
export function reportLines(facts: Facts, paint: Paint): string[] {
  return [...overview(facts, paint), ...sectionsOf(facts).flatMap((section) => sectionLines(section, paint))];
}

function sectionLines({ title, parts }: Section, paint: Paint): string[] {
  return parts.flatMap(({ heading = title, table }) => (table ? ['', paint.bold(heading), ...tableLines(table, paint)] : []));
}

function tableLines({ columns: heads, rows }: Table, paint: Paint): string[] {
  const text = (cell: Cell) => String(typeof cell === 'object' ? (cell?.code ?? '') : cell);
  const cells = rows.map((row) => row.map((cell, n) => (heads[n]!.long ? cut(text(cell), n === 0 ? TITLE : REASON) : text(cell))));
  return columns([heads.map(({ head }) => paint.dim(head)), ...cells]).map((line) => `  ${line}`);
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
