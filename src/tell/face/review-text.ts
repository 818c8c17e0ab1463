/** A person's words about lines of a change, or about one file. */
export interface LineComment {
  readonly path: string;
  /** The version that the line is in: before the change, or after it. */
  readonly side: 'old' | 'new';
  /** The last of its lines. Null: the comment is about the file. */
  readonly line: number | null;
  /** The lines as they are there, as many as it is about. */
  readonly quote: string;
  readonly text: string;
}

/** The first of the lines that a comment is about. */
export const firstLine = (line: number, quote: string): number => line - quote.split('\n').length + 1;

/** `12`, or `12-15`. */
export function linesNamed(line: number, quote: string): string {
  const first = firstLine(line, quote);
  return first === line ? `${line}` : `${first}-${line}`;
}

export const comments = (n: number): string => (n === 1 ? '1 comment' : `${n} comments`);

/** All comments of a review in one text, in the order of the files, each with its place and the lines that it is about. */
export function reviewText(words: string, given: readonly LineComment[]): string {
  if (given.length === 0) return words.trim();
  const sorted = given.toSorted((a, b) => (a.path === b.path ? (a.line ?? 0) - (b.line ?? 0) : a.path < b.path ? -1 : 1));
  const [first = '', ...rest] = words.trim().split('\n');
  const head = first === '' ? comments(given.length) : `${first} (${comments(given.length)})`;
  return [head, ...rest, '', ...sorted.map((one, at) => `${at + 1}. ${inFull(one)}`)].join('\n');
}

function inFull({ path, side, line, quote, text }: LineComment): string {
  const before = side === 'old' ? ', in the version before the change' : '';
  const place = line === null ? `${path}${quote === '' ? '' : ', at a line that is gone'}` : `${path}:${linesNamed(line, quote)}${before}`;
  const lines = text.trim().split('\n');
  return [place, ...(quote === '' ? [] : quote.split('\n').map((one) => `> ${one}`)), ...lines].join('\n   ');
}
