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

/** All that is in the repository. */
const EVERYTHING = '**';

/**
 * The one form in which paths and patterns inside a repository are compared, however a person wrote them: without `./`, `//` and `\`, `.`
 * as `**`, and `src/` as `src`. `undefined`: it leads out of the repository or is empty, so it can match no path.
 */
export function normalPattern(text: string): string | undefined {
  if (text.trim() === '' || /^[/~\\]/.test(text)) return undefined;
  // Node's globs take a backslash for a slash, too.
  const written = text.replaceAll('\\', '/');
  const parts = written.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return undefined;
  if (parts.length === 0) return EVERYTHING;
  const path = parts.join('/');
  // A name means everything in it anyway; a pattern that ends like this means folders.
  return /\/\.?$/.test(written) && !isName(path) && parts.at(-1) !== EVERYTHING ? `${path}/${EVERYTHING}` : path;
}
