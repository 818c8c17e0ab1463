export function packageProblems(packed: readonly string[], tracked: readonly string[]): string[];
