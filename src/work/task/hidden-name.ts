import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

/**
 * The folder for temporary files while a file of `dir` is replaced. It is in the git folder, because `git add -A` found them beside the
 * file and failed when they were gone a moment later ("unable to stat"). `git clean` does not look there either. Undefined: `dir` is in no
 * repository in which a farm has its own folder.
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

/** `.git`, or the folder that it names. */
function gitFolder(at: string): string | undefined {
  const git = join(at, '.git');
  const found = statSync(git, { throwIfNoEntry: false });
  if (!found || found.isDirectory()) return found && git;
  const [, path] = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8')) ?? [];
  if (path === undefined) return undefined;
  return isAbsolute(path) ? path : join(at, path);
}
