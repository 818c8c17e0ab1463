import { posix } from 'node:path';
import { keptByText } from '../../platform/cache.ts';
import { FILE_VARIABLES, INTERPRETERS, OPTION_VARIABLES, RUNNERS, SHELLS, WITH_FILE, WITH_FOLDER, WRAPPERS } from './runners.ts';
import { readShell, type ShellCommand, type ShellWord } from './shell-words.ts';

/** The part of a check that tells which files it consists of. */
interface CheckLine {
  readonly run: string;
  readonly dir?: string | undefined;
}

/** The files that a command line consists of, and the parts that only its shell can resolve. */
interface Consists {
  readonly files: readonly string[];
  /** Words in the place of a program, or of a file that a program runs, whose value is not known. */
  readonly unclear: readonly string[];
}

/**
 * The files that a check consists of, as far as its command line names them: `sh check.sh` is `check.sh`, `make -C app` is the Makefile
 * there, `test -f a.txt` is none. A name that is no file does no harm, because no change has its path. Files that such a file calls are not
 * followed.
 */
export const consistsOf = ({ run, dir = '' }: CheckLine): Consists => readLine(`${dir}\0${run}`);

/** The checks of a farm, of its tasks and of the versions before: each look at the queue asks for all of them again. */
const MOST_LINES = 200;

const readLine = keptByText(MOST_LINES, (key): Consists => {
  const at = key.indexOf('\0');
  const found = new Found(key.slice(0, at));
  found.line(key.slice(at + 1));
  return { files: [...found.files], unclear: [...found.unclear] };
});

export const checkFiles = (checks: readonly CheckLine[]): string[] => [...new Set(checks.flatMap((check) => consistsOf(check).files))];

/** The part of a configuration that decides how work is judged. */
interface Judging {
  readonly checks: readonly CheckLine[];
  readonly queue: { readonly after: readonly CheckLine[] };
  readonly race: { readonly judge: string | null };
  readonly prompt?: string | undefined;
}

/**
 * The files that judge work or instruct agents: those of all checks (slow ones and `own` ones of tasks too), of the judge of races, and the
 * prompt.
 */
export function judgingFiles({ checks, queue, race, prompt }: Judging, own: readonly string[] = []): string[] {
  const lines = [...own, ...(race.judge === null ? [] : [race.judge])];
  const files = checkFiles([...checks, ...queue.after, ...lines.map((run) => ({ run }))]);
  return prompt === undefined ? files : [...files, prompt];
}

/** Options of shells and interpreters whose value is no file. */
const TAKES = /^(?:[-+][A-Za-z]*[oO]|-[CWX]|--conditions|--rcfile|--init-file)$/;
/** Programs that only pass on their input. */
const PASSES_ON = /^(?:cat|sed|envsubst|tr|head|tail|echo|printf)$/;
/** The deepest nesting of command lines; nobody writes more. */
const DEEPEST = 8;

/** Options that are followed by code in the line itself. */
const CODE = /^(?:-e|-c|-p|-pe|-ne|-E|--eval|--print|eval)$/;

/** The words up to the file that is run; the words after it are arguments of that file. */
function ownOptions(words: readonly ShellWord[]): readonly ShellWord[] {
  const file = words.findIndex(({ raw }, at) => !/^[-+]./.test(raw) && (at === 0 ? !CODE.test(raw) : !/^[-+]./.test(words[at - 1]!.raw)));
  return file < 0 ? words : words.slice(0, file);
}

/** True for a known program name: it is the command itself, not the value of an option before it. */
const isProgram = (raw: string) =>
  [SHELLS, INTERPRETERS].some((shape) => shape.test(posix.basename(raw))) || raw in RUNNERS || raw in WRAPPERS;

/** Gathers the files of one check, line by line. */
class Found {
  readonly files = new Set<string>();
  readonly unclear = new Set<string>();
  /** The folders that the shell may be in: after a `cd` files may be there, or still in the former folder. */
  readonly #folders: Set<string>;
  #depth = 0;

  constructor(dir: string) {
    this.#folders = new Set(['', dir]);
  }

  line(text: string): void {
    if (++this.#depth > DEEPEST) this.unclear.add(text);
    else {
      const { commands, odd } = readShell(text);
      if (odd) this.unclear.add(text);
      for (const [at, one] of commands.entries()) this.#command(one.words, one, one.piped ? commands[at - 1] : undefined);
    }
    this.#depth--;
  }

  #command(all: readonly ShellWord[], command: ShellCommand, before: ShellCommand | undefined): void {
    const start = all.findIndex(({ raw }) => !/^[A-Za-z_]\w*\+?=/.test(raw));
    for (const word of start < 0 ? all : all.slice(0, start)) this.#assigned(word);
    const [first, ...rest] = start < 0 ? [] : all.slice(start);
    if (!first) return;
    if (first.text === undefined) {
      this.unclear.add(first.raw);
      return;
    }
    const name = posix.basename(first.text);
    this.#file(first);
    const folders = this.#options(name, rest);
    const own = WRAPPERS[name];
    if (own !== undefined) this.#wrapped(rest, own, command, before);
    if (/^(?:cd|pushd)$/.test(name)) this.#folder(rest.find(({ raw }) => !raw.startsWith('-')));
    if (name === 'eval') this.#text(rest.map(({ raw, text }) => text ?? raw).join(' '));
    const executed = /^(?:npm|pnpm|yarn|bun)$/.test(name) ? rest.findIndex(({ raw }) => /^(?:exec|x|dlx)$/.test(raw)) : -1;
    if (executed >= 0) this.#wrapped(rest.slice(executed + 1), 0, command, before);
    if (name === 'find')
      this.#wrapped(
        rest.slice(rest.findIndex(({ raw }) => /^-(?:exec|execdir|ok|okdir)$/.test(raw)) + 1 || rest.length),
        0,
        command,
        undefined,
      );
    if (SHELLS.test(name)) this.#shell(rest, command, before);
    else if (INTERPRETERS.test(name)) this.#interpreter(name, rest, command, before);
    else if (name === 'go' && rest.some(({ text }) => text === 'run'))
      for (const word of rest) if (/\.go$/.test(word.raw)) this.#file(word);
    for (const folder of folders) for (const one of RUNNERS[name]?.reads ?? []) this.#add(posix.join(folder, one));
    for (const one of RUNNERS[name]?.reads ?? []) this.#add(one);
  }

  /** After options that we do not know, each word may be the command, up to the first word that cannot be an option's value. */
  #wrapped(words: readonly ShellWord[], own: number, command: ShellCommand, before: ShellCommand | undefined): void {
    let left = own;
    for (const [at, { raw }] of words.entries()) {
      const isOption = raw.startsWith('-') || /^\d+[smhd]?$/.test(raw);
      if (raw === '-S' || raw === '-c' || raw === '--run' || raw === '--command') this.#text(words[at + 1]?.text);
      if (/^(?:-C|-D|--chdir|--directory|-w)$/.test(raw)) this.#folder(words[at + 1]);
      const isValue = at > 0 && /^-[^=]*$/.test(words[at - 1]!.raw);
      if (!isOption) this.#command(words.slice(at), command, before);
      if (isProgram(raw) || (own === 0 && raw.startsWith('./')) || !(isValue || (isOption && !/^\d/.test(raw)) || left-- > 0)) return;
    }
  }

  /** Notes the files that options name, and returns the folders that they name. */
  #options(name: string, words: readonly ShellWord[]): string[] {
    const { file, folder } = RUNNERS[name] ?? {};
    const folders: string[] = [];
    const files: ShellWord[] = [];
    for (const [at, word] of words.entries()) {
      const [, long, set] = /^(--?[A-Za-z][\w-]*)=(.*)$/s.exec(word.raw) ?? [];
      const [, short, joined] = /^(-[A-Za-z])(.+)$/s.exec(word.raw) ?? [];
      const value = (text: string | undefined, of: ShellWord): ShellWord => ({
        raw: of.raw,
        text: of.text === undefined ? undefined : text,
      });
      const pairs: (readonly [string, ShellWord | undefined])[] = [[word.raw, words[at + 1]]];
      if (long !== undefined) pairs.push([long, value(set, word)]);
      else if (short !== undefined && !word.raw.startsWith('--')) pairs.push([short, value(joined, word)]);
      for (const [option, found] of pairs) {
        if (!found) continue;
        if (folder?.test(option) || WITH_FOLDER.test(option)) folders.push(found.text ?? '');
        if (file?.test(option) || (WITH_FILE.test(option) && (option !== short || found !== pairs[1]?.[1]))) files.push(found);
      }
    }
    for (const folderName of folders) this.#folders.add(posix.join('', folderName));
    for (const one of files) this.#file(one);
    return folders;
  }

  #shell(words: readonly ShellWord[], { reads, texts }: ShellCommand, before: ShellCommand | undefined): void {
    const line = ownOptions(words).findIndex(({ raw }) => /^-[A-Za-z]*c[A-Za-z]*$/.test(raw));
    if (line >= 0) {
      const text = words.slice(line + 1).find(({ raw }) => !/^[-+]/.test(raw));
      if (text?.text === undefined) this.unclear.add(text?.raw ?? 'sh -c');
      else this.line(text.text);
      return;
    }
    const isScript = this.#firstFiles(words);
    for (const one of reads) this.#file(one);
    for (const text of texts) this.line(text);
    if (!isScript && reads.length + texts.length === 0 && before) this.#from(before);
  }

  #interpreter(name: string, words: readonly ShellWord[], { reads, texts }: ShellCommand, before: ShellCommand | undefined): void {
    const own = ownOptions(words);
    const module = /^(?:python|pypy)/.test(name) ? own.findIndex(({ raw }) => raw === '-m') : -1;
    const code = own
      .slice(0, module < 0 ? undefined : module)
      .findIndex(({ raw }) => CODE.test(raw) && !/^(?:bun|tsx|source|\.)$/.test(name));
    if (code >= 0) this.#code(words[code + 1]);
    if (module >= 0) this.#module(words.slice(module + 1));
    // `deno run a.ts`: the word before is no file.
    const isScript = this.#firstFiles(
      (code >= 0 ? words.slice(0, code) : words).filter(({ raw }, at) => at > 0 || !/^(?:run|test|x)$/.test(raw)),
    );
    for (const one of reads) if (!isScript) this.#file(one);
    for (const text of texts) this.#code({ raw: text, text });
    if (!isScript && code < 0 && module < 0 && reads.length + texts.length === 0 && before) this.#from(before);
  }

  /** Code in the line itself: notes the paths in its quotes. What else it loads is unclear. */
  #code(word: ShellWord | undefined): void {
    if (!word) return;
    for (const [, path] of word.raw.matchAll(/["'`]([\w@.-]*[./][\w@./-]*)["'`]/g)) this.#add(path!);
    this.unclear.add(word.raw);
  }

  #module([first, ...rest]: readonly ShellWord[]): void {
    if (!first) return;
    if (first.text === undefined) this.unclear.add(first.raw);
    const path = first.text?.replaceAll('.', '/') ?? '';
    for (const file of [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`]) this.#add(file);
    this.#command([first, ...rest], { words: [first, ...rest], reads: [], texts: [], piped: false }, undefined);
  }

  /**
   * Notes the first word that is no option. A word after an option may be its value or the file: both count, up to a word that looks like a
   * file and is not the value of an option that takes one. False: there is none.
   */
  #firstFiles(words: readonly ShellWord[]): boolean {
    for (const [at, word] of words.entries()) {
      if (/^[-+]./.test(word.raw)) continue;
      if (word.raw === '-') return false;
      const option = at > 0 && /^[-+]./.test(words[at - 1]!.raw) ? words[at - 1]!.raw : undefined;
      const isValue = option !== undefined && (WITH_FILE.test(option) || TAKES.test(option));
      if (!isValue || WITH_FILE.test(option)) this.#file(word);
      if (option === undefined || (!isValue && /[./]/.test(word.raw))) return true;
    }
    return false;
  }

  /** A command whose output is run: notes the files that it names; what else it runs is unclear. */
  #from({ words, reads, texts }: ShellCommand): void {
    for (const word of [...words.slice(1), ...reads]) if (!word.raw.startsWith('-')) this.#file(word);
    for (const text of texts) this.line(text);
    const by = words.findIndex(({ text }) => PASSES_ON.test(text ?? ''));
    if (by < 0) this.unclear.add(words.map(({ raw }) => raw).join(' '));
    else if (/^(?:echo|printf)$/.test(words[by]!.raw)) this.#text(words.slice(by + 1).find(({ raw }) => !raw.startsWith('-'))?.text);
  }

  #assigned({ raw, text }: ShellWord): void {
    const name = raw.slice(0, raw.search(/\+?=/));
    const value = text?.slice(text.indexOf('=') + 1);
    if (!FILE_VARIABLES.test(name) && !OPTION_VARIABLES.test(name)) return;
    if (value === undefined) this.unclear.add(raw);
    const parts = (value ?? '').split(/[\s:]+/).filter(Boolean);
    if (FILE_VARIABLES.test(name)) for (const one of parts) this.#add(one);
    else {
      const words = parts.map((one) => ({ raw: one, text: one }));
      this.#options(/MAKE/.test(name) ? 'make' : '', words);
    }
  }

  #text(text: string | undefined): void {
    if (text === undefined) return;
    this.line(text);
  }

  #folder(word: ShellWord | undefined): void {
    if (!word) return;
    if (word.text === undefined) this.unclear.add(word.raw);
    else for (const at of [...this.#folders]) this.#folders.add(posix.join(at, word.text));
  }

  #file({ raw, text }: ShellWord): void {
    if (text === undefined || text === '{}') this.unclear.add(raw);
    else this.#add(text);
  }

  #add(name: string): void {
    for (const at of this.#folders) for (const path of inside(at, name)) this.files.add(path);
  }
}

/** The path from the top of the repository; none for what is outside. */
function inside(dir: string, word: string): string[] {
  if (posix.isAbsolute(word)) return [];
  const path = posix.normalize(posix.join(dir, word)).replace(/\/$/, '');
  return path === '.' || path.startsWith('..') ? [] : [path];
}
