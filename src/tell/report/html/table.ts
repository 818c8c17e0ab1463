import type { Cell, Part, Section, Table } from '../section.ts';
import { html, type Markup } from './markup.ts';

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
