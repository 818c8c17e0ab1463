/** Everything that the sources under `src` do against the table of rooms, one sentence each. */
export function faults(src: string): string[];
/** The same of the page, which runs in a browser. */
export function pageFaults(root: string): string[];
