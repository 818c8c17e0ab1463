/** The wings of the house, each with the wings that it may import and its rooms. */
export type Wings = Readonly<
  Record<string, { readonly imports: readonly string[]; readonly rooms: Readonly<Record<string, readonly string[]>> }>
>;
/** Everything that is wrong with such a table, one sentence each. */
export function tableFaults(wings: Wings): string[];
/** Everything that the sources under `src` do against the table of rooms, one sentence each. */
export function faults(src: string): string[];
/** The same of the page, which runs in a browser. */
export function pageFaults(root: string): string[];
