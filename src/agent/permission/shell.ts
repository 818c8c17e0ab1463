/** One command of a line: a program and its words, after the shell has taken the quotes away. */
export interface Simple {
  readonly words: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

interface Word {
  readonly text: string;
  readonly raw: string;
  readonly pattern: boolean;
}
type Token = { readonly word: Word } | { readonly op: string };

/** Longest first. Here-documents and read-write redirects are among them to be recognised, and refused. */
const OPERATORS = ['&>>', '<<<', '&&', '||', '|&', ';;', '&>', '>>', '>&', '>|', '<<', '<&', '<>', ';', '|', '&', '>', '<', '\n'];
const SEPARATORS = new Set(['&&', '||', '|&', ';', '|', '&', '\n']);
const WRITES = new Set(['>', '>>', '>|', '&>', '&>>']);

/** Words that make something else of the line than a list of programs, or that run their arguments in this very shell. */
const NOT_PROGRAMS = new Set(
  '! { } [[ ]] if then elif else fi for while until do done case esac in select function time coproc eval . source exec command builtin trap alias unalias enable set shopt export declare typeset local readonly unset'.split(
    ' ',
  ),
);
/** All others may change what a program loads, runs or reads: PATH, LD_PRELOAD, GIT_EDITOR, NODE_OPTIONS … */
const HARMLESS = /^(CI|NODE_ENV|FORCE_COLOR|NO_COLOR|LANG|LC_[A-Z]+|TZ|RUST_BACKTRACE|COLUMNS|LINES)$/;
/** The file whose reading and writing have no effect. */
const SINK = '/dev/null';
/** Whoever writes more into one line means a file. */
const LONGEST = 20_000;

/**
 * The simple commands of a command line, or undefined when it cannot be said for sure what a shell would run. Everything
 * that is expanded (variables, substitutions, braces, a home folder) is not understood, on purpose.
 */
export function parseLine(line: string): Simple[] | undefined {
  const tokens = tokenize(line);
  if (tokens === undefined) return undefined;
  const commands: Simple[] = [];
  let part: Token[] = [];
  for (const token of [...tokens, { op: ';' }]) {
    if (!('op' in token) || !SEPARATORS.has(token.op)) {
      part.push(token);
      continue;
    }
    const simple = part.length > 0 ? simpleOf(part) : null;
    if (simple === undefined) return undefined;
    if (simple !== null) commands.push(simple);
    part = [];
  }
  return commands.length > 0 ? commands : undefined;
}

/** `bash -lc 'line'` runs that line; codex asks for everything in this form. */
export function innerLine(line: string): string {
  const [only, ...more] = parseLine(line) ?? [];
  if (only === undefined || more.length > 0 || only.words.length !== 3 || only.reads.length + only.writes.length > 0) return line;
  const [shell, flag, inner] = only.words as [string, string, string];
  return /^(\/bin\/)?(ba)?sh$/.test(shell) && /^-l?c$/.test(flag) ? innerLine(inner.trim()) : line;
}

function simpleOf(tokens: readonly Token[]): Simple | undefined {
  const [words, reads, writes]: [Word[], string[], string[]] = [[], [], []];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if ('word' in token) {
      words.push(token.word);
      continue;
    }
    const target = tokens[++i];
    if (target === undefined || !('word' in target) || target.word.pattern) return undefined;
    const { text, raw } = target.word;
    // `>& -c` closes the stream and leaves `c` behind as a word; so only `>&1` and its like.
    if (token.op === '>&' && /^\d$/.test(raw)) continue;
    if (WRITES.has(token.op)) writes.push(...(text === SINK ? [] : [text]));
    else if (token.op === '<') reads.push(...(text === SINK ? [] : [text]));
    else return undefined;
  }
  const program = words.findIndex(({ raw }) => !/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(raw));
  if (program < 0 || !words.slice(0, program).every(({ raw }) => HARMLESS.test(raw.slice(0, raw.indexOf('='))))) return undefined;
  const rest = words.slice(program);
  const { text, pattern } = rest[0]!;
  if (text === '' || text.includes('=') || pattern || NOT_PROGRAMS.has(text)) return undefined;
  // A file called `-x` is an option once a pattern has found it, and `.*` finds `..`.
  if (rest.some((word) => word.pattern && (/^[*?[]/.test(word.raw) || /(^|\/)\.[^/]*[*?[]/.test(word.text)))) return undefined;
  return { words: rest.map((word) => word.text), reads, writes };
}

function tokenize(line: string): Token[] | undefined {
  if (line.length > LONGEST || /[\0-\x08\x0b-\x1f\x7f]/.test(line)) return undefined;
  const tokens: Token[] = [];
  let at = 0;
  while (at < line.length) {
    const rest = line.slice(at);
    const blank = /^[ \t]+/.exec(rest)?.[0];
    const op = OPERATORS.find((operator) => rest.startsWith(operator));
    if (blank) at += blank.length;
    else if (op) {
      tokens.push({ op });
      at += op.length;
    } else {
      const word = wordAt(line, at);
      if (word === undefined) return undefined;
      at += word.raw.length;
      // `2>`: the number of a stream, and no word.
      if (!(/^\d+$/.test(word.raw) && /[<>]/.test(line[at] ?? ''))) tokens.push({ word });
    }
  }
  return tokens;
}

function wordAt(line: string, start: number): Word | undefined {
  let [text, at, pattern] = ['', start, false];
  while (at < line.length && !/[ \t\n;|&<>]/.test(line[at]!)) {
    const piece = pieceAt(line, at, start);
    if (piece === undefined) return undefined;
    text += piece.text;
    pattern ||= piece.pattern === true;
    at = piece.end;
  }
  return { text, pattern, raw: line.slice(start, at) };
}

/** A quoted part, an escaped character, or a plain one. */
function pieceAt(line: string, at: number, start: number): { text: string; end: number; pattern?: boolean } | undefined {
  const char = line[at]!;
  if (char === "'") {
    const end = line.indexOf("'", at + 1);
    return end < 0 ? undefined : { text: line.slice(at + 1, end), end: end + 1 };
  }
  if (char === '"') {
    // Inside, only these four are anything but themselves after a backslash.
    const quoted = /^"((?:[^"\\$`]|\\[^\n])*)"/.exec(line.slice(at));
    return quoted ? { text: quoted[1]!.replace(/\\(["\\$`])/g, '$1'), end: at + quoted[0].length } : undefined;
  }
  if (char === '\\') {
    const next = line[at + 1];
    return next === undefined || next === '\n' ? undefined : { text: next, end: at + 2 };
  }
  const home = char === '~' && (at === start || /[=:]/.test(line[at - 1]!));
  if (home || /[$`(){}]/.test(char) || (char === '#' && at === start) || /\s/.test(char)) return undefined;
  return { text: char, end: at + 1, pattern: /[*?[\]]/.test(char) };
}
