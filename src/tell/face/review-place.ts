import type { PatchFile, PatchLine } from './patch.ts';

/** The line that a comment was written at, and enough around it to find it again in a newer change. */
export interface Anchor {
  readonly path: string;
  readonly side: 'old' | 'new';
  /** Null: the whole file. */
  readonly line: number | null;
  readonly quote: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The version of the file: the beginning of its id. */
  readonly blob: string;
}

/** `moved`: the same line has another number now. `gone`: nobody can say where it is. */
export type Place = { readonly at: 'here' | 'moved'; readonly line: number | null } | { readonly at: 'gone' };

const AROUND = 3;
/** A line with so many letters and digits is known by itself. */
const TELLING = 12;

/** The side and the number by which a line is named: a line that did not change is one of the new version. */
export const sideOf = (line: PatchLine): Pick<Anchor, 'side'> & { readonly line: number } =>
  line.new === null ? { side: 'old', line: line.old ?? 0 } : { side: 'new', line: line.new };

/** `text`: of a line that the patch does not show, because nothing changed near it. */
export function anchorAt(file: PatchFile, side: Anchor['side'], line: number | null, text = ''): Anchor {
  const blob = file.blobs[side];
  const lines = linesOf(file, side);
  const at = lines.findIndex(({ n }) => n === line);
  const texts = (from: number, to: number) => lines.slice(Math.max(0, from), to).map(({ text }) => text);
  if (line === null || at < 0) return { path: file.path, side, line, quote: line === null ? '' : text, before: [], after: [], blob };
  const around = { before: texts(at - AROUND, at), after: texts(at + 1, at + 1 + AROUND) };
  return { path: file.path, side, line, quote: lines[at]!.text, ...around, blob };
}

/** Finds the line of a comment in a change. It is the same version of the file, or the same line with the same lines around it, or it is gone: never a guess. */
export function placeIn(files: readonly PatchFile[], anchor: Anchor): Place {
  const file = files.find(({ path }) => path === anchor.path);
  if (!file) return { at: 'gone' };
  if (anchor.line === null) return { at: 'here', line: null };
  if (isSame(file.blobs[anchor.side], anchor.blob)) return { at: 'here', line: anchor.line };
  const lines = linesOf(file, anchor.side);
  const scored = lines
    .map(({ n, text }, at) => (text === anchor.quote ? { n, score: alike(lines, at, anchor) } : undefined))
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

function linesOf({ hunks }: PatchFile, side: Anchor['side']): Numbered[] {
  return hunks.flatMap(({ lines }) =>
    lines.flatMap((line) => {
      const n = side === 'new' ? line.new : line.old;
      return n === null ? [] : [{ n, text: line.text }];
    }),
  );
}

/** Neighbours that are still its neighbours. */
function alike(lines: readonly Numbered[], at: number, { before, after }: Anchor): number {
  let score = 0;
  for (let n = 1; n <= before.length && lines[at - n]?.text === before[before.length - n]; n++) score++;
  for (let n = 1; n <= after.length && lines[at + n]?.text === after[n - 1]; n++) score++;
  return score;
}

/** A line such as a brace is everywhere, so it is known only by its neighbours. */
function isSure({ quote, before, after }: Anchor, score: number): boolean {
  if ((quote.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= TELLING) return true;
  return score > 0 && score >= (before.length + after.length) / 2;
}
