/** One section of a report, whatever it is shown in. */
export interface Section {
  readonly title: string;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly heading?: string;
  readonly note?: string;
  /** Said more quietly than a note. */
  readonly soft?: string;
  readonly table?: Table;
}

/** A commit and the like are shown in the letters of code. */
export type Cell = string | number | null | { readonly code: string };

interface Shape {
  readonly head: string;
  /** Figures stand at the right, below each other. */
  readonly number?: true;
  /** A column that says nothing in any row is left out. */
  readonly optional?: true;
  /** Texts of any length, broken anywhere if need be. */
  readonly long?: true;
  /** Never broken over lines. */
  readonly whole?: true;
}

export interface Table {
  readonly columns: readonly Shape[];
  readonly rows: readonly (readonly Cell[])[];
}

export function table<R>(rows: readonly R[], columns: readonly (Shape & { readonly cell: (row: R) => Cell })[]): Table {
  const shown = columns.filter(({ optional, cell }) => !optional || rows.some((row) => !isEmpty(cell(row))));
  return { columns: shown, rows: rows.map((row) => shown.map(({ cell }) => cell(row))) };
}

const isEmpty = (cell: Cell) => cell === '' || cell === null;
