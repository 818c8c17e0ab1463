import { type Token, tokenize, type Word } from './tokens.ts';

/** One command of a line: a program and its words, after the shell has taken the quotes away. */
export interface Simple {
  readonly words: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Those of the words that a shell may replace by the names of files. */
  readonly patterns: readonly string[];
}

const END: Token = { op: ';' };

const SEPARATORS = new Set(['&&', '||', '|&', ';', '|', '&', '\n']);
const WRITES = new Set(['>', '>>', '>|', '&>', '&>>']);

/** Words after which the line is not just a list of programs, or that run their arguments in this very shell. */
const NOT_PROGRAMS = new Set(
  '! { } [[ ]] - noglob nocorrect repeat foreach end always if then elif else fi for while until do done case esac in select function time coproc eval . source exec command builtin trap alias unalias enable set shopt export declare typeset local readonly unset'.split(
    ' ',
  ),
);
/** All others may change what a program loads, runs or reads: PATH, LD_PRELOAD, GIT_EDITOR, NODE_OPTIONS … */
const HARMLESS = /^(CI|NODE_ENV|FORCE_COLOR|NO_COLOR|LANG|LC_[A-Z]+|TZ|RUST_BACKTRACE|COLUMNS|LINES)$/;
/** A value in which neither bash nor zsh expands anything. */
const ASSIGNED = /^[A-Za-z_][A-Za-z0-9_]*=[A-Za-z0-9_.,@%+/-]*$/;
/** The file that can be read and written without effect. */
const SINK = '/dev/null';
/**
 * The simple commands of a command line, or undefined when it cannot be said for sure what bash and zsh would run. Everything
 * that is expanded (variables, substitutions, braces, a home folder), and what one of them reads differently, is not understood,
 * on purpose.
 */
export function parseLine(line: string): Simple[] | undefined {
  const tokens = tokenize(line);
  if (tokens === undefined) return undefined;
  const commands: Simple[] = [];
  let part: Token[] = [];
  for (const token of [...tokens, END]) {
    if (!('op' in token) || !SEPARATORS.has(token.op)) {
      part.push(token);
      continue;
    }
    // Nothing before `;`: an error to bash, and a command to zsh.
    if (part.length === 0 && token.op !== '\n' && token !== END) return undefined;
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
  return /^(\/(usr\/)?bin\/)?(ba|z)?sh$/.test(shell) && /^-l?c$/.test(flag) ? innerLine(inner.trim()) : line;
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
    if (target === undefined || !('word' in target) || target.word.pattern !== undefined) return undefined;
    const { text, raw } = target.word;
    // `>& -c` closes the stream and leaves `c` behind as a word; so only `>&1` and its like.
    if (token.op === '>&' && /^\d$/.test(raw)) continue;
    if (WRITES.has(token.op)) writes.push(...(text === SINK ? [] : [text]));
    else if (token.op === '<') reads.push(...(text === SINK ? [] : [text]));
    else return undefined;
  }
  const rest = withoutAssignments(words);
  if (rest === undefined || !isProgram(rest[0]!) || rest.some(mayBecomeAnything)) return undefined;
  const patterns = rest.filter((word) => word.pattern !== undefined).map((word) => word.text);
  return { words: rest.map((word) => word.text), reads, writes, patterns };
}

function withoutAssignments(words: readonly Word[]): Word[] | undefined {
  const program = words.findIndex(({ raw }) => !/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(raw));
  if (program < 0) return undefined;
  const harmless = ({ raw }: Word) => ASSIGNED.test(raw) && HARMLESS.test(raw.slice(0, raw.indexOf('=')));
  return words.slice(0, program).every(harmless) ? words.slice(program) : undefined;
}

function isProgram({ text, pattern }: Word): boolean {
  return text !== '' && !text.includes('=') && pattern === undefined && !NOT_PROGRAMS.has(text);
}

/** A file called `--output=x` is an option once a pattern has found it; `.*` finds `..`; `**` leads deeper in zsh than in bash. */
function mayBecomeAnything({ text, pattern }: Word): boolean {
  if (pattern === undefined) return false;
  return pattern === 0 || text.startsWith('-') || text.includes('**') || /(^|\/)\.[^/]*[*?[]/.test(text);
}
