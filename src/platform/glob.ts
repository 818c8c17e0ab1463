import { matchesGlob } from 'node:path';

/** Whether a repository path matches one of the patterns; a pattern that names a folder means all that is in it. */
export function matchesAny(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesGlob(path, pattern) || path.startsWith(pattern.endsWith('/') ? pattern : `${pattern}/`));
}
