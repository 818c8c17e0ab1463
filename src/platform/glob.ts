import { matchesGlob } from 'node:path';

/**
 * True when a repository path matches one of the patterns; a pattern that names a folder means everything in it. A `*` also matches names
 * with a leading dot, which Node's own globs do not: `src/**` contains `src/.env`.
 */
export function matchesAny(path: string, patterns: readonly string[]): boolean {
  return patterns.some(
    (pattern) =>
      // A name may look like a pattern: app/[id]/page.tsx.
      path === pattern ||
      matchesGlob(path, pattern) ||
      matchesGlob(undotted(path), undotted(pattern)) ||
      (isName(pattern) && path.startsWith(pattern.endsWith('/') ? pattern : `${pattern}/`)),
  );
}

/** True when a pattern may also be a literal name: some repositories have brackets in names, none has stars. */
export const isName = (pattern: string): boolean => !/[*?]/.test(pattern);

const undotted = (text: string): string => text.replace(/(^|\/)\./g, '$1\u{e000}');
