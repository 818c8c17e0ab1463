/** Everything that the sources under `src` do against the table of rooms, one sentence each. */
export function faults(src: string): string[];
