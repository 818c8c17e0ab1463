import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

/**
 * The folder for files that exist only while a file of `dir` is replaced: in the git folder, where `git add -A` does not look. Beside
 * the file it met them, and failed when they were gone a moment later ("unable to stat"). `git clean` does not look there either.
 * Undefined: `dir` is in no repository that a farm has a folder of its own in.
 */
export function outOfSight(dir: string): string | undefined {
  const whole = resolve(dir);
  for (let at = whole; ; at = dirname(at)) {
    const git = gitFolder(at);
    const own = git && join(git, 'furrow.run');
    if (own !== undefined) return existsSync(own) ? join(own, 'board', relative(at, whole)) : undefined;
    if (dirname(at) === at) return undefined;
  }
}

/** `.git`, or what it names where the git folder is elsewhere. */
function gitFolder(at: string): string | undefined {
  const git = join(at, '.git');
  const found = statSync(git, { throwIfNoEntry: false });
  if (!found || found.isDirectory()) return found && git;
  const [, path] = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8')) ?? [];
  if (path === undefined) return undefined;
  return isAbsolute(path) ? path : join(at, path);
}
