import { html, type Markup, type Piece } from './markup.ts';

interface Column<R> {
  readonly head: string;
  readonly cell: (row: R) => Piece;
  /** Figures stand at the right, below each other. */
  readonly number?: true;
  /** A column that is empty in every row is left out. */
  readonly optional?: true;
  /** Texts of any length, broken anywhere if need be. */
  readonly long?: true;
  /** Never broken over lines. */
  readonly whole?: true;
}

/** A table with its headings; on a phone each row is a block, and each cell says which it is. */
export function table<R>(rows: readonly R[], columns: readonly Column<R>[]): Markup {
  const shown = columns.filter((column) => !column.optional || rows.some((row) => !isEmpty(column.cell(row))));
  const kind = ({ number, whole, long }: Column<R>) =>
    number ? html` class="number"` : whole ? html` class="whole"` : long ? html` class="long"` : '';
  return html`<table><thead><tr>${shown.map((one) => html`<th scope="col"${kind(one)}>${one.head}</th>`)}</tr></thead><tbody>
${rows.map((row) => html`<tr>${shown.map((one, n) => html`<td${kind(one)}${n > 0 && html` data-label="${one.head}"`}>${one.cell(row)}</td>`)}</tr>\n`)}</tbody></table>`;
}

const isEmpty = (value: Piece) => value === '' || value === null || value === undefined || value === false;
