import type { Hunk, PatchLine } from './patch.ts';

/** So many lines are added to what is shown at a press. */
export const MORE_LINES = 20;

/** The lines that a patch leaves out: before its first hunk, between two, and after the last, by their numbers in the new file. */
interface Gap {
  readonly first: number;
  /** Null: to the end of the file, which a patch does not tell. */
  readonly last: number | null;
  /** Added to a number in the new file, this is the one in the old file. */
  readonly shift: number;
  /** The words that git says of what follows. */
  readonly where: string;
}

/** The part of a gap that is shown: below the lines before it, and above those after it. */
export interface Opened {
  readonly top: number;
  readonly bottom: number;
}

/** A gap before each hunk, and one after the last. One without a line in it has its `last` before its `first`. */
export function gapsOf(hunks: readonly Hunk[]): Gap[] {
  const gaps: Gap[] = [];
  let [next, shift] = [1, 0];
  for (const { lines, where } of hunks) {
    const [old, now] = [firstOf(lines, 'old'), firstOf(lines, 'new')];
    // Of lines that were only taken out the new numbers are those around them.
    const start = now ?? (old ?? 1) - shift;
    gaps.push({ first: next, last: start - 1, shift, where });
    const [removed, added] = [lines.filter(({ sign }) => sign === '-').length, lines.filter(({ sign }) => sign === '+').length];
    next = start + lines.length - removed;
    shift += removed - added;
  }
  const end = hunks.at(-1)?.lines.slice(-3) ?? [];
  const hasEnded = end.length < 3 || end.some(({ sign }) => sign !== ' ');
  return [...gaps, { first: next, last: hasEnded ? next - 1 : null, shift, where: '' }];
}

const firstOf = (lines: readonly PatchLine[], side: 'old' | 'new') => lines.find((line) => line[side] !== null)?.[side] ?? undefined;

/** A gap as it is shown: the lines at its two ends, and how many are still left out; null: nobody knows. */
interface ShownGap {
  readonly top: readonly PatchLine[];
  readonly bottom: readonly PatchLine[];
  readonly hidden: number | null;
}

/** `texts`: the lines of the new file, once they have come. */
export function showGap(gap: Gap, { top, bottom }: Opened, texts: readonly string[] | undefined): ShownGap {
  const last = gap.last ?? texts?.length ?? null;
  if (last === null || !texts) return { top: [], bottom: [], hidden: last === null ? null : Math.max(0, last - gap.first + 1) };
  const count = Math.max(0, last - gap.first + 1);
  const line = (n: number): PatchLine => ({ sign: ' ', text: texts[n - 1] ?? '', old: n + gap.shift, new: n });
  const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, at) => line(from + at));
  const shown = Math.min(top, count);
  const below = Math.min(bottom, count - shown);
  return {
    top: range(gap.first, gap.first + shown),
    bottom: range(last - below + 1, last + 1),
    hidden: count - shown - below,
  };
}

/** The lines of a file; the empty piece after its last line end is none. */
export const fileLines = (text: string): string[] => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
