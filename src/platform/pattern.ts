import { isName } from './glob.ts';

/** All that is in the repository. */
export const EVERYTHING = '**';

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
