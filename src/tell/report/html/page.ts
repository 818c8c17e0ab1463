import type { Facts } from '../facts.ts';
import { counted, figure, moment, moments, money, took } from '../format.ts';
import type { Cell, Part, Section, Table } from '../section.ts';
import { sectionsOf } from '../sections.ts';
import { html, type Markup, type Piece } from './markup.ts';
import { endOf, plots } from './plots.ts';
import { style } from './style.ts';

/** The page to send to a colleague: one file, without scripts and without anything from elsewhere. */
export function page(facts: Facts): string {
  const title = headline(facts);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="generator" content="furrow ${facts.farm.version}">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main class="page">
${header(facts, title)}
${figures(facts)}
${plots(facts)}
${sectionsOf(facts).map(section)}
${footer(facts)}
</main>
</body>
</html>
`.text;
}

/** The run in one line, by what landed and what is left of the board. */
export function headline({ farm, landed, left }: Facts): string {
  const done = landed.length === 0 ? 'nothing landed' : `${counted(landed.length, 'task')} landed`;
  return `${farm.name}: ${done}${left.length > 0 ? `, ${figure(left.length)} left` : ''}`;
}

function header({ farm, period, landed, plots: all }: Facts, title: string): Markup {
  const length = endOf({ period, landed, plots: all }) - Date.parse(period.from);
  return html`<header>
<h1>${title}</h1>
<p class="soft">Onto <code>${farm.target}</code>, ${moments(period)}${length > 0 && html` (${took(length)} of activity)`}.</p>
<p class="small soft">A furrow farm runs several coding agents on one git repository, each on its own task in its own worktree. What they finish goes through a merge queue, and lands only when the project's checks pass on exactly the tree that lands.</p>
${period.missing !== null && html`<p class="note">This report is not complete: ${period.missing}.</p>`}
</header>`;
}

function figures(facts: Facts): Markup {
  const { landed, landings, attempts, lead, cost, checks, conflicts, rejected, questions, agents } = facts;
  const runs = checks.reduce((sum, one) => sum + one.runs, 0);
  const red = checks.reduce((sum, one) => sum + one.fails, 0);
  const back = conflicts.entries.length + rejected.length;
  const flaky = checks.reduce((sum, one) => sum + one.flakes, 0);
  const spent = cost.tokens === 0 ? 'not reported' : cost.usd > 0 ? money({ usd: cost.usd }) : `${figure(cost.tokens)} tokens`;
  return html`<dl class="figures">
${tile('Landed', figure(landed.length), `in ${counted(landings, 'landing')}`)}
${tile('From ready to landed', lead.count > 0 ? took(lead.p50_ms) : '–', lead.count > 0 && `median; p95 ${took(lead.p95_ms)}`)}
${tile('Attempts', figure(attempts.total), `by ${counted(agents.length, 'agent')}`)}
${tile('Cost', spent, cost.usd > 0 && costWords(facts))}
${tile('Runs of checks', figure(runs), `${red} red, ${counted(flaky, 'flake')}`)}
${tile('Sent back', figure(back), back > 0 && `${counted(conflicts.entries.length, 'conflict')}, ${rejected.length} rejected`)}
${tile('Questions to a person', figure(questions.asked), questions.asked > 0 && `${questions.answered} answered, ${questions.open} open`)}
${tile('Left on the board', figure(facts.left.length), facts.left.length === 0 && 'everything is done')}
</dl>`;
}

/** The price of a task is shown only where the price of all work is known. */
const costWords = ({ cost, landed }: Facts) =>
  cost.partial ? 'and more: some agents report no price' : landed.length > 0 && `${money({ usd: cost.usd / landed.length })} a landed task`;

const tile = (name: string, value: string, more: Piece): Markup =>
  html`<div><dt>${name}</dt><dd>${value}</dd>${more && html`<dd>${more}</dd>`}</div>`;

const footer = ({ farm, period }: Facts): Markup =>
  html`<footer class="small soft"><p>Made by furrow ${farm.version} at ${moment(farm.made)}: ${period.since}; events ${figure(period.seq.first)} to ${figure(period.seq.last)}. Times are UTC. <code>furrow report --html</code></p></footer>`;

/** A heading and what is below it. */
export const section = ({ title, parts }: Section): Markup => html`<section><h2>${title}</h2>
${parts.map(partOf)}</section>
`;

const partOf = ({ heading, note, soft, table }: Part): Markup =>
  html`${heading !== undefined && html`<h3>${heading}</h3>`}${note !== undefined && html`<p>${note}</p>`}${soft !== undefined && html`<p class="soft">${soft}</p>`}${table && tableOf(table)}`;

/** A table with its headings; on a phone each row is a block, and each cell says which it is. */
function tableOf({ columns, rows }: Table): Markup {
  const kind = ({ number, whole, long }: Table['columns'][number]) =>
    number ? html` class="number"` : whole ? html` class="whole"` : long ? html` class="long"` : '';
  const cells = (row: readonly Cell[]) =>
    columns.map((one, n) => html`<td${kind(one)}${n > 0 && html` data-label="${one.head}"`}>${cellOf(row[n]!)}</td>`);
  return html`<table><thead><tr>${columns.map((one) => html`<th scope="col"${kind(one)}>${one.head}</th>`)}</tr></thead><tbody>
${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody></table>`;
}

const cellOf = (cell: Cell) => (typeof cell === 'object' && cell !== null ? html`<code>${cell.code}</code>` : cell);
