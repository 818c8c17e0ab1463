import type { Facts } from '../../../tell/report/facts.ts';
import { counted, figure, moments, money, took } from '../../../tell/report/format.ts';
import type { Cell, Section, Table } from '../../../tell/report/section.ts';
import { sectionsOf } from '../../../tell/report/sections.ts';
import type { Paint } from '../out.ts';
import { columns, cut } from './columns.ts';

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
