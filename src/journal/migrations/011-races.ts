/** Several tries at one task. */
export const races: readonly string[] = [];
