import type { Hunk, PatchLine } from './patch.ts';

/** A piece of a line; `changed` marks what differs from the line that it replaced. */
export interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

export interface MarkedLine extends PatchLine {
  readonly pieces: readonly Piece[];
}

/** One row of the two files beside each other. A line that did not change is in both. */
export interface SideRow {
  readonly left: MarkedLine | null;
  readonly right: MarkedLine | null;
}

/** The rows of a hunk: removed lines stand beside the added ones that follow them, with what differs between them marked. */
export function sideBySide({ lines }: Hunk): SideRow[] {
  const rows: SideRow[] = [];
  let removed: PatchLine[] = [];
  let added: PatchLine[] = [];
  const flush = () => {
    for (let n = 0; n < Math.max(removed.length, added.length); n++) rows.push(pair(removed[n], added[n]));
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.sign === '-' && added.length > 0) flush();
    if (line.sign === '-') removed.push(line);
    else if (line.sign === '+') added.push(line);
    else {
      flush();
      const same = { ...line, pieces: [{ text: line.text, changed: false }] };
      rows.push({ left: same, right: same });
    }
  }
  flush();
  return rows;
}

/** The lines of a hunk in the order of the patch, with the same marks. */
export function unified(hunk: Hunk): MarkedLine[] {
  const rows = sideBySide(hunk);
  const marked = new Map(rows.flatMap(({ left, right }) => [left, right].flatMap((one) => (one ? [[keyOf(one), one] as const] : []))));
  return hunk.lines.map((line) => marked.get(keyOf(line))!);
}

const keyOf = ({ sign, old, new: now }: PatchLine) => `${sign} ${old} ${now}`;

const plain = (line: PatchLine): MarkedLine => ({ ...line, pieces: [{ text: line.text, changed: false }] });

function pair(left: PatchLine | undefined, right: PatchLine | undefined): SideRow {
  if (!left || !right) return { left: left ? plain(left) : null, right: right ? plain(right) : null };
  const [before, after] = differing(left.text, right.text);
  return { left: { ...left, pieces: before }, right: { ...right, pieces: after } };
}

/** Two lines that have less than this of their length in common were not one line before: marks would be noise. */
const ALIKE = 0.3;
const LONGEST = 2_000;

/** The pieces of two lines: the same beginning, the same end, and between them what differs, by whole words. */
function differing(a: string, b: string): [Piece[], Piece[]] {
  const whole = (text: string): Piece[] => [{ text, changed: false }];
  if (a.length > LONGEST || b.length > LONGEST) return [whole(a), whole(b)];
  const [words, others] = [wordsOf(a), wordsOf(b)];
  let head = 0;
  while (head < words.length && head < others.length && words[head] === others[head]) head++;
  let tail = 0;
  while (tail < Math.min(words.length, others.length) - head && words.at(-1 - tail) === others.at(-1 - tail)) tail++;
  const same = [...words.slice(0, head), ...words.slice(words.length - tail)].join('').trim().length;
  if (same < ALIKE * Math.min(a.trim().length, b.trim().length)) return [whole(a), whole(b)];
  const pieces = (of: readonly string[]): Piece[] =>
    [
      { text: of.slice(0, head).join(''), changed: false },
      { text: of.slice(head, of.length - tail).join(''), changed: true },
      { text: of.slice(of.length - tail).join(''), changed: false },
    ].filter(({ text }) => text !== '');
  return [pieces(words), pieces(others)];
}

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
