import { isName } from './glob.ts';

/** All that is in the repository. */
export const EVERYTHING = '**';

/**
 * The one form in which a path or pattern inside a repository is compared, however a person wrote it: without `./`, `//` and `\`, `.` as
 * `**`, and `src/` as `src`. `undefined`: it leads out of the repository, or says nothing, so it could never match a path of it.
 */
export function normalPattern(text: string): string | undefined {
  if (text.trim() === '' || /^[/~\\]/.test(text)) return undefined;
  // Node's globs take a backslash for a slash, too.
  const written = text.replaceAll('\\', '/');
  const parts = written.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return undefined;
  if (parts.length === 0) return EVERYTHING;
  const path = parts.join('/');
  // A name means all that is in it anyway; of a pattern this says that folders are meant.
  return /\/\.?$/.test(written) && !isName(path) && parts.at(-1) !== EVERYTHING ? `${path}/${EVERYTHING}` : path;
}
