import { posix } from 'node:path';

/**
 * The path below the worktree, `''` for the worktree itself, undefined when it is outside or cannot be told. Textual: what a
 * symbolic link in the worktree leads to is not looked at.
 */
export function insideOf(worktree: string, path: string): string | undefined {
  // A home folder or an address is expanded by the one who uses it, and not by us.
  if (path === '' || path.includes('\0') || /^~|^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(path)) return undefined;
  const relative = posix.relative(worktree, posix.resolve(worktree, path));
  return relative === '..' || relative.startsWith('../') ? undefined : relative;
}

/** Git's own files: a hook or a setting in them runs as whoever uses git next. Some file systems do not tell .GIT from .git. */
export function isGits(relative: string): boolean {
  return relative.split('/').some((part) => part.toLowerCase() === '.git');
}
