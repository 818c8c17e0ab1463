import type { PatchFile, PatchLine } from './patch.ts';
import { firstLine } from './review-text.ts';

/** The lines that a comment was written at, and enough around them to find them again in a newer change. */
export interface Anchor {
  readonly path: string;
  readonly side: 'old' | 'new';
  /** The last of its lines. Null: the whole file. */
  readonly line: number | null;
  /** Its lines. */
  readonly quote: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The version of the file: the beginning of its id. */
  readonly blob: string;
}

/** Lines of one side, the first and the last. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** The lines that a comment is about; `null`: the whole file. */
export const rangeOf = ({ quote }: Pick<Anchor, 'quote'>, line: number | null): Range | null =>
  line === null ? null : { first: firstLine(line, quote), last: line };

/** `moved`: the same lines have other numbers now. `gone`: nobody can say where it is. */
export type Place = { readonly at: 'here' | 'moved'; readonly line: number | null } | { readonly at: 'gone' };

const AROUND = 3;
/** A line with so many letters and digits is known by itself. */
const TELLING = 12;

/** The side and the number by which a line is named: a line that did not change is one of the new version. */
export const sideOf = (line: PatchLine): Pick<Anchor, 'side'> & { readonly line: number } =>
  line.new === null ? { side: 'old', line: line.old ?? 0 } : { side: 'new', line: line.new };

/** A comment on these lines of a file, or on the file. `shown`: its lines in sight, also those that the change does not have. */
export function anchorAt(file: PatchFile, side: Anchor['side'], range: Range | null, shown: readonly PatchLine[] = shownIn(file)): Anchor {
  const { path, blobs } = file;
  if (range === null) return { path, side, line: null, quote: '', before: [], after: [], blob: blobs[side] };
  const lines = numbered(shown, side);
  const first = lines.findIndex(({ n }) => n === range.first);
  const last = lines.findIndex(({ n }) => n === range.last);
  const texts = (from: number, to: number) => lines.slice(Math.max(0, from), to).map(({ text }) => text);
  return {
    path,
    side,
    line: range.last,
    quote: texts(first, last + 1).join('\n'),
    before: texts(first - AROUND, first),
    after: texts(last + 1, last + 1 + AROUND),
    blob: blobs[side],
  };
}

/** Finds the lines of a comment in a change. It is the same version of the file, or the same lines with the same ones around them, or they are gone: never a guess. */
export function placeIn(files: readonly PatchFile[], anchor: Anchor): Place {
  const file = files.find(({ path }) => path === anchor.path);
  if (!file) return { at: 'gone' };
  if (anchor.line === null) return { at: 'here', line: null };
  if (isSame(file.blobs[anchor.side], anchor.blob)) return { at: 'here', line: anchor.line };
  const lines = numbered(shownIn(file), anchor.side);
  const many = anchor.quote.split('\n').length;
  const scored = lines
    .map(({ n }, at) => (isThere(lines, at, anchor.quote) ? { n: n + many - 1, score: alike(lines, at, many, anchor) } : undefined))
    .filter((one) => one !== undefined)
    .toSorted((a, b) => b.score - a.score);
  const [best, next] = scored;
  if (!best || best.score === next?.score || !isSure(anchor, best.score)) return { at: 'gone' };
  return { at: best.n === anchor.line ? 'here' : 'moved', line: best.n };
}

/** Git prints as many digits as are unambiguous at the time. */
const isSame = (a: string, b: string) => a !== '' && b !== '' && (a.startsWith(b) || b.startsWith(a));

interface Numbered {
  readonly n: number;
  readonly text: string;
}

const shownIn = ({ hunks }: PatchFile): readonly PatchLine[] => hunks.flatMap(({ lines }) => lines);

function numbered(lines: readonly PatchLine[], side: Anchor['side']): Numbered[] {
  return lines.flatMap((line) => {
    const n = side === 'new' ? line.new : line.old;
    return n === null ? [] : [{ n, text: line.text }];
  });
}

/** From the line at `at` on, all lines of the quote, with none left out between them. */
function isThere(lines: readonly Numbered[], at: number, quote: string): boolean {
  const wanted = quote.split('\n');
  return wanted.every((text, by) => lines[at + by]?.text === text && lines[at + by]!.n === lines[at]!.n + by);
}

/** Neighbours that are still their neighbours. */
function alike(lines: readonly Numbered[], at: number, many: number, { before, after }: Anchor): number {
  let score = 0;
  for (let n = 1; n <= before.length && lines[at - n]?.text === before[before.length - n]; n++) score++;
  for (let n = 1; n <= after.length && lines[at + many - 1 + n]?.text === after[n - 1]; n++) score++;
  return score;
}

/** A line such as a brace is everywhere, so it is known only by its neighbours. */
function isSure({ quote, before, after }: Anchor, score: number): boolean {
  if ((quote.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= TELLING) return true;
  return score > 0 && score >= (before.length + after.length) / 2;
}
