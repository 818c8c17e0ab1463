/** What the farm itself asks an agent to do: no file on the board, and nothing lands by itself. */
export const errands: readonly string[] = [];
