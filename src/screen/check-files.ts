import { posix } from 'node:path';

/** The part of a check that says which files it consists of. */
interface CheckLine {
  readonly run: string;
  readonly dir?: string | undefined;
}

/** Files that a runner of tasks reads without being told their name. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  make: ['Makefile', 'makefile', 'GNUmakefile'],
  gmake: ['Makefile', 'makefile', 'GNUmakefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile'],
  tox: ['tox.ini'],
  nox: ['noxfile.py'],
  mise: ['mise.toml', '.mise.toml'],
};

const QUOTES = /["'`]/g;
const BETWEEN = /[\s;&|()<>={},]+/;

/**
 * The files that checks consist of, as far as their command lines name them: `sh check.sh` is `check.sh`, `make test` is the Makefile.
 * A word that is no file is harmless here, because no change has its path. What such a file calls in turn is not followed.
 */
export function checkFiles(checks: readonly CheckLine[]): string[] {
  const found = checks.flatMap(({ run, dir = '' }) => {
    const words = run.replace(QUOTES, ' ').split(BETWEEN).filter(Boolean);
    const named = words.flatMap((word) => [word, ...(RUNNERS[posix.basename(word)] ?? [])]);
    // A shell may have changed the folder by then, so both the root and the folder of the check count.
    return named.flatMap((word) => [inside(dir, word), inside('', word)]);
  });
  return [...new Set(found.filter((path) => path !== undefined))];
}

/** The path from the top of the repository; `undefined`: it is an option, or outside. */
function inside(dir: string, word: string): string | undefined {
  if (word.startsWith('-') || posix.isAbsolute(word)) return undefined;
  const path = posix.normalize(posix.join(dir, word)).replace(/\/$/, '');
  return path === '.' || path.startsWith('..') ? undefined : path;
}
