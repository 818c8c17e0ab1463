/** A word of a line, after the shell has taken the quotes away. */
export interface Word {
  readonly text: string;
  readonly raw: string;
  /** The index in the text of the first character of a pattern. */
  readonly pattern: number | undefined;
}

export type Token = { readonly word: Word } | { readonly op: string };

/** Longest first. Here-documents, read-write redirects and what zsh alone has are among them to be recognised, and refused. */
const OPERATORS = [
  '&>>',
  '<<<',
  '&|',
  ';&',
  ';|',
  '&&',
  '||',
  '|&',
  ';;',
  '&>',
  '>>',
  '>&',
  '>|',
  '<<',
  '<&',
  '<>',
  ';',
  '|',
  '&',
  '>',
  '<',
  '\n',
];
/** A range of numbers in a file name, to zsh; two redirects to bash. */
const RANGE = /<\d*-\d*>/;
/** Controls, and characters that some shells take for a blank and others for a letter. */
const UNREADABLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
/** A longer command line is not taken apart: a person or agent would put that much into a file. */
const LONGEST = 20_000;

/** The words and operators of a line, or undefined where bash and zsh might not agree on them. */
export function tokenize(line: string): Token[] | undefined {
  if (line.length > LONGEST || UNREADABLE.test(line) || RANGE.test(line)) return undefined;
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
      const stream = /^\d+$/.test(word.raw) && /[<>]/.test(line[at] ?? '');
      // `2>`: the number of a stream, and no word. `12>` is one to bash, and not to zsh.
      if (stream && word.raw.length > 1) return undefined;
      if (!stream) tokens.push({ word });
    }
  }
  return tokens;
}

function wordAt(line: string, start: number): Word | undefined {
  let [text, at] = ['', start];
  let pattern: number | undefined;
  while (at < line.length && !/[ \t\n;|&<>]/.test(line[at]!)) {
    const piece = pieceAt(line, at, start);
    if (piece === undefined) return undefined;
    if (piece.pattern) pattern ??= text.length;
    text += piece.text;
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
    // Inside, only these four are anything but themselves after a backslash; `!` before a word is a line of the history.
    const quoted = /^"((?:[^"\\$`!]|!(?=[\s"=])|\\[^\n!])*)"/.exec(line.slice(at));
    return quoted ? { text: quoted[1]!.replace(/\\(["\\$`])/g, '$1'), end: at + quoted[0].length } : undefined;
  }
  if (char === '\\') {
    const next = line[at + 1];
    return next === undefined || next === '\n' ? undefined : { text: next, end: at + 2 };
  }
  // `=ls` is the path of ls to zsh, and `!x` a line of the history.
  const first = at === start && /[~#=]/.test(char);
  const home = char === '~' && /[=:]/.test(line[at - 1] ?? '');
  if (first || home || /[$`(){}!]/.test(char) || /\s/.test(char)) return undefined;
  // The last three are patterns to a zsh with extended globs.
  return { text: char, end: at + 1, pattern: /[*?[\]^~#]/.test(char) };
}
