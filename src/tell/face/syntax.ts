/** The kinds of a piece of code; everything else has the colour of text. */
export type Token = 'comment' | 'string' | 'number' | 'keyword';

/** Where something begins and ends, in characters of its line. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly is: Token;
}

/** The parts of a language that are recognised: few, so that the colours are rarely wrong. */
interface Language {
  readonly line: readonly string[];
  readonly block: readonly (readonly [begin: string, end: string])[];
  /** Signs around a text; one of three ends at the same three, on any line. */
  readonly quotes: readonly string[];
  readonly keywords: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));
const C_BLOCK = [['/*', '*/']] as const;
const CURLY = { line: ['//'], block: C_BLOCK, quotes: ['"', "'"] };

const JS: Language = {
  ...CURLY,
  quotes: ['"', "'", '`'],
  keywords: words(
    'abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number of override private protected public readonly return satisfies set static string super switch this throw true try type typeof undefined unknown using var void while with yield',
  ),
};
const PYTHON: Language = {
  line: ['#'],
  block: [],
  quotes: ['"""', "'''", '"', "'"],
  keywords: words(
    'False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
  ),
};
const RUST: Language = {
  ...CURLY,
  // In Rust an apostrophe begins a lifetime as often as a character.
  quotes: ['"'],
  keywords: words(
    'as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i16 i32 i64 i8 if impl in let loop match mod move mut pub ref return self Self static str struct super trait true type u16 u32 u64 u8 unsafe use usize where while',
  ),
};
const GO: Language = {
  ...CURLY,
  quotes: ['"', "'", '`'],
  keywords: words(
    'any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface map nil package range return rune select string struct switch true type uint var',
  ),
};
const C: Language = {
  ...CURLY,
  keywords: words(
    'abstract alignas auto base bool boolean break byte case catch char class const constexpr continue default delete do double else enum explicit extends extern false final finally float for friend fun goto if implements import in inline instanceof int interface internal is let long mutable namespace native new noexcept null nullptr object operator out override package private protected public record ref return sealed short signed sizeof static struct super switch synchronized template this throw throws true try typedef typename union unsigned using val var virtual void volatile when while',
  ),
};
const SHELL: Language = {
  line: ['#'],
  block: [],
  quotes: ['"', "'"],
  keywords: words('case do done elif else esac exit export fi for function if in local readonly return set then trap unset until while'),
};
const RUBY: Language = {
  line: ['#'],
  block: [['=begin', '=end']],
  quotes: ['"', "'"],
  keywords: words(
    'and begin break case class def do else elsif end ensure false for if in module next nil not or require rescue return self super then true unless until when while yield',
  ),
};
const SQL: Language = {
  line: ['--'],
  block: C_BLOCK,
  quotes: ["'", '"'],
  keywords: words(
    'add all alter and as asc begin between by case check column commit constraint create default delete desc distinct drop else end exists foreign from group having if in index inner insert integer into is join key left limit not null on or order primary references returning select set table text then union unique update values view when where with',
  ),
};
const DATA: Language = { line: ['#'], block: [], quotes: ['"', "'"], keywords: words('true false null yes no on off') };
const JSON_TEXT: Language = { line: ['//'], block: C_BLOCK, quotes: ['"'], keywords: words('true false null') };
const CSS: Language = {
  line: [],
  block: C_BLOCK,
  quotes: ['"', "'"],
  keywords: words('important and not only from to media import supports'),
};
const MARKUP: Language = { line: [], block: [['<!--', '-->']], quotes: ['"'], keywords: new Set() };

const LANGUAGES: readonly (readonly [endings: string, language: Language])[] = [
  ['js jsx mjs cjs ts tsx mts cts vue svelte', JS],
  ['py pyi', PYTHON],
  ['rs', RUST],
  ['go', GO],
  ['c h cc cpp cxx hpp hh m mm java kt kts cs swift scala php dart proto', C],
  ['sh bash zsh fish dockerfile makefile mk', SHELL],
  ['rb rake gemfile', RUBY],
  ['sql', SQL],
  ['yaml yml toml ini cfg conf properties env', DATA],
  ['json jsonc json5', JSON_TEXT],
  ['css scss less', CSS],
  ['html htm xml svg xhtml', MARKUP],
];
const BY_ENDING = new Map(LANGUAGES.flatMap(([endings, language]) => endings.split(' ').map((ending) => [ending, language] as const)));

export const languageOf = (path: string): Language | undefined => BY_ENDING.get(/[^./]+$/.exec(path.toLowerCase())?.[0] ?? '');

/** A minified line is no code to read. */
const LONGEST = 2_000;

const NUMBER = /(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\w*/iy;
const WORD = /[\p{L}_$][\p{L}\p{N}_$-]*/uy;

/**
 * The spans of lines that follow each other in one file. What a line leaves open (a comment, a text of several lines) goes on in the next;
 * when the first end of a comment comes before any begin, the lines began inside of one.
 */
export function colour(language: Language, lines: readonly string[]): Span[][] {
  let open = beginsInside(language, lines);
  return lines.map((text) => {
    if (text.length > LONGEST) return [];
    const spans: Span[] = [];
    let at = 0;
    while (at < text.length) {
      const found: { to: number; is: Token | undefined; open?: Open | undefined } = open
        ? closing(text, at, open)
        : next(language, text, at);
      if (found.is) spans.push({ from: at, to: found.to, is: found.is });
      open = found.open;
      at = found.to;
    }
    // Only some texts go on in the next line.
    if (open && !open.goesOn) open = undefined;
    return spans;
  });
}

interface Open {
  readonly end: string;
  readonly is: Token;
  readonly goesOn: boolean;
}

function closing(text: string, at: number, open: Open) {
  for (let n = at; n < text.length; n++) {
    if (text[n] === '\\' && open.is === 'string') n++;
    else if (text.startsWith(open.end, n)) return { to: n + open.end.length, is: open.is };
  }
  return { to: text.length, is: open.is, open };
}

function next({ line, block, quotes, keywords }: Language, text: string, at: number): { to: number; is: Token | undefined; open?: Open } {
  // Of `#` and `--` only those that stand free are a comment: `a#b`, `$#`.
  const free = at === 0 || /[\s;({]/.test(text[at - 1]!);
  if (line.some((sign) => text.startsWith(sign, at) && (free || sign === '//'))) return { to: text.length, is: 'comment' };
  const begun = block.find(([begin]) => text.startsWith(begin, at));
  if (begun) return begin(text, at, begun[0].length, { end: begun[1], is: 'comment', goesOn: true });
  const quote = quotes.find((sign) => text.startsWith(sign, at));
  if (quote) return begin(text, at, quote.length, { end: quote, is: 'string', goesOn: quote.length === 3 || quote === '`' });
  WORD.lastIndex = NUMBER.lastIndex = at;
  const word = WORD.exec(text)?.[0];
  if (word) return { to: at + word.length, is: keywords.has(word) || keywords.has(word.toLowerCase()) ? 'keyword' : undefined };
  const number = NUMBER.exec(text)?.[0];
  return number ? { to: at + number.length, is: 'number' } : { to: at + 1, is: undefined };
}

function begin(text: string, at: number, length: number, open: Open) {
  const { to, open: still } = closing(text, at + length, open) as { to: number; open?: Open };
  return { to: Math.max(to, at + length), is: open.is, ...(still && { open: still }) };
}

function beginsInside({ block }: Language, lines: readonly string[]): Open | undefined {
  for (const text of lines) {
    for (const [from, end] of block) {
      const [a, b] = [text.indexOf(from), text.indexOf(end)];
      if (b >= 0 && (a < 0 || b < a)) return { end, is: 'comment', goesOn: true };
      if (a >= 0) return undefined;
    }
  }
  return undefined;
}
