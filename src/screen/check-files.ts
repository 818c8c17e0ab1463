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

/** Their first word that is no option is a file that they run. */
const INTERPRETERS = /^(?:(?:ba|da|z|k|fi)?sh|node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua|Rscript|source|\.)$/;

/** The command comes after these, and after what they take. */
const BEFORE =
  /^(?:env|exec|time|nice|command|nohup|sudo|timeout|npx|pnpx|bunx|uvx|uv|poetry|pipenv|bundle|run|exec|dlx|if|then|else|elif|while|until|do|!|\{|\d+[smh]?)$/;

/** Options whose value is a file that decides what is checked. */
const WITH_FILE = /^--?(?:config|configfile|project|p|import|require|r|loader|makefile|rcfile|justfile|taskfile)$/;

const APART = /&&|\|\||[;&|()\n]/;

/**
 * The files that checks consist of, as far as their command lines name them: `sh check.sh` is `check.sh`, `make test` is the Makefile,
 * `test -f a.txt` is none. A name that is no file is harmless here, because no change has its path. What such a file calls is not followed.
 */
export function checkFiles(checks: readonly CheckLine[]): string[] {
  return [...new Set(checks.flatMap(({ run, dir = '' }) => filesOf(run, dir)))];
}

/** The part of a configuration that says what work is judged by. */
export interface Judging {
  readonly checks: readonly CheckLine[];
  readonly queue: { readonly after: readonly CheckLine[] };
  readonly race: { readonly judge: string | null };
  readonly prompt?: string | undefined;
}

/** The files that judge work, or tell agents what to do: those of all checks, slow ones and `own` ones of tasks among them, of the judge of races, and the prompt. */
export function judgingFiles({ checks, queue, race, prompt }: Judging, own: readonly string[] = []): string[] {
  const lines = [...own, ...(race.judge === null ? [] : [race.judge])];
  const files = checkFiles([...checks, ...queue.after, ...lines.map((run) => ({ run }))]);
  return prompt === undefined ? files : [...files, prompt];
}

function filesOf(run: string, dir: string): string[] {
  // Where a shell has changed its folder, its files are there; it may also have gone back.
  const folders = new Set(['', dir]);
  return run
    .replace(/["'`]/g, ' ')
    .split(APART)
    .flatMap((part) => {
      const words = part
        .replace(/(^|\s)\S*sh\s+-\w*c(?=\s)/g, ' ')
        .split(/\s+/)
        .filter(Boolean);
      const start = words.findIndex((word) => !BEFORE.test(word) && !/^[A-Za-z_]\w*=/.test(word) && !word.startsWith('-'));
      const [command, ...rest] = start < 0 ? [] : words.slice(start);
      if (command === undefined) return [];
      if (command === 'cd' && rest[0] !== undefined) for (const at of [...folders]) folders.add(posix.join(at, rest[0]));
      const names = [command, ...(RUNNERS[posix.basename(command)] ?? []), ...argumentsOf(command, rest)];
      return [...folders].flatMap((at) => names.flatMap((name) => inside(at, name)));
    });
}

/** The words of a command that name a file it runs, or is set up by. */
function argumentsOf(command: string, rest: readonly string[]): string[] {
  const files = rest.flatMap((word, at) => {
    const [, option, value] = /^(--?[a-z]+)=(.+)$/.exec(word) ?? [];
    if (option !== undefined) return WITH_FILE.test(option) ? [value!] : [];
    return at > 0 && WITH_FILE.test(rest[at - 1]!) ? [word] : [];
  });
  if (!INTERPRETERS.test(posix.basename(command))) return files;
  const plain = rest.findIndex((word, at) => !word.startsWith('-') && !rest[at - 1]?.startsWith('-'));
  // One after an option may be its value, or the file: both count.
  return [...files, ...rest.slice(0, plain < 0 ? undefined : plain + 1).filter((word) => !word.startsWith('-'))];
}

/** The path from the top of the repository; none for what is outside. */
function inside(dir: string, word: string): string[] {
  if (posix.isAbsolute(word)) return [];
  const path = posix.normalize(posix.join(dir, word)).replace(/\/$/, '');
  return path === '.' || path.startsWith('..') ? [] : [path];
}
