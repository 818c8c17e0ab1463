import type { Effects } from './effects.ts';
import { type Given, type Options, readGiven } from './options.ts';

interface Program {
  readonly what?: string;
  readonly options: Options;
  /** The sense of its words. `pattern`: a text, then files to read; `none`: it takes none. */
  readonly words: 'text' | 'reads' | 'writes' | 'pattern' | 'none';
  /** Options that make it read all that is below. */
  readonly deep?: readonly string[];
}

const GREP =
  '-n --line-number -i --ignore-case -v --invert-match -w --word-regexp -x --line-regexp -c --count -l --files-with-matches -L --files-without-match -o --only-matching ' +
  '-q --quiet -s --no-messages -h --no-filename -H --with-filename -E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -a --text -I -r --recursive ' +
  '-A: --after-context: -B: --before-context: -C: --context= -m: --max-count: -e: --regexp: -f@ --file@ --include= --exclude= --exclude-dir= --color? --colour? -Z --null -b -#';
const RG =
  '-n --line-number -N --no-line-number -i --ignore-case -s --case-sensitive -S --smart-case -v --invert-match -w --word-regexp -x --line-regexp -c --count --count-matches ' +
  '-l --files-with-matches --files-without-match -o --only-matching -q --quiet -H --with-filename -I --no-filename -F --fixed-strings -P --pcre2 -U --multiline --multiline-dotall ' +
  '-a --text -A: --after-context: -B: --before-context: -C: --context: -m: --max-count: -e: --regexp: -f@ --file@ -g: --glob: --iglob: -t: --type: -T: --type-not: -r: --replace: ' +
  '--max-depth: -M: --max-columns: --sort: --sortr: --color: --files --hidden -. --no-ignore --no-ignore-vcs -u --heading --no-heading --column --vimgrep --json --stats --trim -p --pretty -0 --null';

/** Programs that look around, or that make an empty file or folder, each with the options that do nothing else. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  echo: { what: 'echo', options: '-n -e -E', words: 'text' },
  true: { what: 'true', options: '-#', words: 'none' },
  pwd: { what: 'pwd', options: '-P -L', words: 'none' },
  which: { what: 'which', options: '-a', words: 'text' },
  basename: { what: 'basename', options: '-a -s:', words: 'text' },
  dirname: { what: 'dirname', options: '-z', words: 'text' },
  ls: {
    options:
      '-l -a -A -1 -h -R -t -r -S -d -F -p -i -s -n -o -g -G -m -x -C -q -b -c -u -U -X -v -k --all --almost-all --human-readable --recursive --directory --reverse --classify --color? --full-time --group-directories-first --sort= --time-style=',
    words: 'reads',
  },
  cat: {
    options: '-n -b -s -A -e -t -v -E -T -u --number --number-nonblank --squeeze-blank --show-all --show-ends --show-tabs',
    words: 'reads',
  },
  head: { options: '-n: -c: -q -v -# --lines: --bytes: --quiet --verbose', words: 'reads' },
  tail: { options: '-n: -c: -q -v -# --lines: --bytes: --quiet --verbose', words: 'reads' },
  wc: { options: '-l -w -c -m -L --lines --words --bytes --chars --max-line-length', words: 'reads' },
  nl: { options: '-b: -w: -s:', words: 'reads' },
  cut: { options: '-d: -f: -c: -b: -s --delimiter= --fields= --characters= --only-delimited', words: 'reads' },
  sort: { options: '-n -r -u -f -h -V -b -g -s -k: -t: --numeric-sort --reverse --unique --key= --field-separator=', words: 'reads' },
  // Its second word is a file that it writes.
  uniq: { options: '-c -d -u -i --count --repeated --unique --ignore-case', words: 'none' },
  tr: { what: 'tr', options: '-d -s -c -C --delete --squeeze-repeats --complement', words: 'text' },
  grep: { options: GREP, words: 'pattern', deep: ['-r', '--recursive'] },
  rg: { options: RG, words: 'pattern', deep: [] },
  mkdir: { options: '-p -v --parents --verbose', words: 'writes' },
  touch: { options: '-c --no-create', words: 'writes' },
};

/** The files that this command reads and writes; undefined: the program or one of its options is not known to do only that. */
export function programEffects(name: string, args: readonly string[]): Effects | undefined {
  if (name === 'cd') return cdEffects(args);
  if (name === 'find') return findEffects(args);
  if (name === 'sed') return sedEffects(args);
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  // Words that print are no options, whatever they begin with.
  const given = program && (name === 'echo' ? textOnly(args) : readGiven(args, program.options));
  if (program === undefined || given === undefined) return undefined;
  if (program.words === 'none' && given.words.length > 0) return undefined;
  const what = program.what ?? `${name} in the worktree`;
  const deep = program.deep !== undefined && (name === 'rg' || given.options.some((one) => program.deep!.includes(one.name)));
  const words = given.words.filter((word) => word !== '');
  if (program.words === 'writes') return { what, reads: given.paths, writes: words };
  const reads = program.words === 'reads' ? words : program.words === 'pattern' ? searched(given) : [];
  return { what, reads: [...reads, ...given.paths], writes: [], deep };
}

const textOnly = (args: readonly string[]): Given => ({ words: args, paths: [], options: [] });

/** A pattern is no path, even when it looks like one: the first word, unless an option gave it. */
function searched({ words, options }: Given): readonly string[] {
  const given = options.some(({ name }) => ['-e', '--regexp', '-f', '--file', '--files'].includes(name));
  return (given ? words : words.slice(1)).filter((word) => word !== '');
}

const TESTS: Options =
  '-name: -iname: -path: -type: -size: -mtime: -mmin: -maxdepth: -mindepth: -empty -not -o -a -or -and -print -print0 -prune';
const TAKING = new Set(TESTS.split(' ').flatMap((word) => (word.endsWith(':') ? [word.slice(0, -1)] : [])));
const ALONE = new Set([...TESTS.split(' ').filter((word) => !word.endsWith(':')), '!', '(', ')']);

/** Allows folders and tests: actions of find run programs, remove and write. */
function findEffects(args: readonly string[]): Effects | undefined {
  const first = args.findIndex((arg) => /^[-!()]/.test(arg));
  const folders = first < 0 ? args : args.slice(0, first);
  for (let i = folders.length; i < args.length; i++) {
    if (TAKING.has(args[i]!)) i++;
    else if (!ALONE.has(args[i]!)) return undefined;
  }
  return { what: 'find in the worktree', reads: folders, writes: [], deep: true };
}

/** Allows only printing lines: other scripts of sed write files and run programs. */
function sedEffects([option, script, ...files]: readonly string[]): Effects | undefined {
  const prints = option === '-n' && /^(\d+(,(\d+|\$))?p;?)+$/.test(script ?? '');
  return prints && !files.some((file) => file.startsWith('-')) ? { what: 'sed -n in the worktree', reads: files, writes: [] } : undefined;
}

/** Many agents begin every line with it, naming the folder that they are in already. `-` and CDPATH lead elsewhere. */
function cdEffects([folder, ...more]: readonly string[]): Effects | undefined {
  return folder?.startsWith('/') && more.length === 0 ? { what: 'cd to where it is', reads: [folder], writes: [], stays: true } : undefined;
}
