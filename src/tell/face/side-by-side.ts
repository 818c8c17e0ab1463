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
export function sideBySide(hunk: Hunk): SideRow[] {
  return blocksOf(hunk).flatMap(({ removed, added, same }) => {
    const rows = Array.from({ length: Math.max(removed.length, added.length) }, (_, n) => {
      return { left: removed[n] ?? null, right: added[n] ?? null };
    });
    return same ? [...rows, { left: same, right: same }] : rows;
  });
}

/** The lines of a hunk in the order of the patch, with the same marks. */
export function unified(hunk: Hunk): MarkedLine[] {
  return blocksOf(hunk).flatMap(({ removed, added, same }) => [...removed, ...added, ...(same ? [same] : [])]);
}

/** Lines that were removed, those that came for them, and the line without a change that follows. */
interface Block {
  readonly removed: readonly MarkedLine[];
  readonly added: readonly MarkedLine[];
  readonly same: MarkedLine | undefined;
}

function blocksOf({ lines }: Hunk): Block[] {
  const blocks: Block[] = [];
  let removed: PatchLine[] = [];
  let added: PatchLine[] = [];
  const flush = (same?: PatchLine) => {
    if (same || removed.length + added.length > 0) blocks.push({ ...markedPairs(removed, added), same: same && plain(same) });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.sign === '-' && added.length > 0) flush();
    if (line.sign === '-') removed.push(line);
    else if (line.sign === '+') added.push(line);
    else flush(line);
  }
  flush();
  return blocks;
}

const plain = (line: PatchLine): MarkedLine => ({ ...line, pieces: [{ text: line.text, changed: false }] });

/** Differences are looked for when a line is drawn: of 20,000 changed lines, which took 1.5 s, a few hundred are. */
function markedPairs(removed: readonly PatchLine[], added: readonly PatchLine[]): Pick<Block, 'removed' | 'added'> {
  const marked = (line: PatchLine, other: PatchLine | undefined, side: 0 | 1): MarkedLine => {
    if (!other) return plain(line);
    let pieces: readonly Piece[] | undefined;
    return {
      ...line,
      get pieces() {
        pieces ??= (side === 0 ? differing(line.text, other.text) : differing(other.text, line.text))?.[side] ?? plain(line).pieces;
        return pieces;
      },
    };
  };
  return {
    removed: removed.map((line, n) => marked(line, added[n], 0)),
    added: added.map((line, n) => marked(line, removed[n], 1)),
  };
}

/** Two lines that have less than this of their length in common were not one line before: marks would be noise. */
const ALIKE = 0.3;

/** The pieces of two lines: the same beginning, the same end, and between them what differs, by whole words. `undefined`: not alike. */
function differing(a: string, b: string): [Piece[], Piece[]] | undefined {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  while (head > 0 && (inWord(a, head) || inWord(b, head))) head--;
  while (tail > 0 && (inWord(a, a.length - tail) || inWord(b, b.length - tail))) tail--;
  if (a.slice(0, head).trim().length + a.slice(a.length - tail).trim().length < ALIKE * Math.min(a.trim().length, b.trim().length))
    return undefined;
  const pieces = (of: string): Piece[] =>
    [
      { text: of.slice(0, head), changed: false },
      { text: of.slice(head, of.length - tail), changed: true },
      { text: of.slice(of.length - tail), changed: false },
    ].filter(({ text }) => text !== '');
  return [pieces(a), pieces(b)];
}

/** A place with letters on both sides: a mark does not begin or end there. */
const inWord = (text: string, at: number) => isLetter(text, at - 1) && isLetter(text, at);

function isLetter(text: string, at: number): boolean {
  return at >= 0 && at < text.length && /[\w\u0080-\uffff]/.test(text[at]!);
}
