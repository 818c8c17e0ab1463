import { posix } from 'node:path';

/** The part of the file system that a judgement asks for. */
export interface Look {
  /** The path with every link in it followed; of one that is not there yet, its part that is. Undefined: it cannot be told. */
  real(path: string): string | undefined;
  /** The names in a folder; undefined when it is none, or cannot be read. */
  list(folder: string): readonly string[] | undefined;
}

/** The place that a tool is used in. */
export interface Place {
  readonly worktree: string;
  /** The folder that paths start from. */
  readonly cwd: string;
  readonly look: Look;
}

/**
 * The names of a path below the worktree, `''` for the worktree itself: as it is written, and as the links in it lead.
 * Undefined when one of them is outside, or cannot be told.
 */
export function namesOf(place: Place, path: string): readonly string[] | undefined {
  // A home folder or an address is expanded by the one who uses it, and not by us.
  if (path === '' || path.includes('\0') || /^~|^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(path)) return undefined;
  const written = below(place.worktree, posix.resolve(place.cwd, path));
  const [real, home] = [posix.isAbsolute(path) ? path : `${place.cwd}/${path}`, place.worktree].map((one) => place.look.real(one));
  const leads = real === undefined || home === undefined ? undefined : below(home, real);
  return written === undefined || leads === undefined ? undefined : [...new Set([written, leads])];
}

/** True when nothing that a pattern may find leads out of the worktree: it is one in the last part of the path, of a folder without such links. */
export function patternStays(place: Place, pattern: string): boolean {
  const end = pattern.lastIndexOf('/');
  const folder = end < 0 ? '.' : pattern.slice(0, end) || '/';
  if (/[*?[\]^~#]/.test(folder) || namesOf(place, folder) === undefined) return false;
  const path = posix.isAbsolute(folder) ? folder : `${place.cwd}/${folder}`;
  return place.look.list(path)?.every((name) => namesOf(place, `${folder}/${name}`) !== undefined) ?? false;
}

function below(worktree: string, path: string): string | undefined {
  const relative = posix.relative(worktree, path);
  return relative === '..' || relative.startsWith('../') ? undefined : relative;
}

/** Git's own files: a hook or a setting in them runs as whoever uses git next. Some file systems do not tell .GIT from .git. */
export function isGits(relative: string): boolean {
  return relative.split('/').some((part) => part.toLowerCase() === '.git');
}
