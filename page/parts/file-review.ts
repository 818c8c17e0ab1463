import { useMemo, useRef } from 'react';
import type { PatchFile, PatchLine } from '../../src/tell/face/patch.ts';
import { anchorAt, type Range, rangeOf } from '../../src/tell/face/review-place.ts';
import type { Placed, Write } from './comment.tsx';

/** The comments on one file, and the way to write one. */
export interface FileReview {
  /** By `lineKey` of the last of their lines; those about the whole file are at `''`. */
  readonly at: ReadonlyMap<string, readonly Placed[]>;
  /** `lineKey` of every line of a comment on several. */
  readonly ranges: ReadonlySet<string>;
  readonly write: Write;
  /** `shown`: the lines of the file in sight. */
  begin(side: 'old' | 'new', range: Range | null, shown?: readonly PatchLine[]): void;
}

export const lineKey = (side: 'old' | 'new', line: number): string => `${side}${line}`;

/** The comments on the change that is shown. */
export interface PatchReview {
  readonly placed: readonly Placed[];
  readonly write: Write;
}

/** The comments file by file. A file whose comments did not change gets the same object, and is not drawn again. */
export function useFileReviews(files: readonly PatchFile[], review: PatchReview | undefined): ReadonlyMap<string, FileReview> {
  const last = useRef(new Map<string, { readonly words: string; readonly made: FileReview }>());
  return useMemo(() => {
    if (!review) return new Map();
    const { placed, write } = review;
    const next = new Map<string, { readonly words: string; readonly made: FileReview }>();
    for (const file of files) {
      const mine = placed.filter(({ draft, place }) => draft.path === file.path && place.at !== 'gone');
      const words = JSON.stringify([mine, file.blobs]);
      const old = last.current.get(file.path);
      const begin: FileReview['begin'] = (side, range, shown) =>
        write.add({ id: crypto.randomUUID(), text: '', ...anchorAt(file, side, range, shown) });
      next.set(file.path, old?.words === words ? old : { words, made: { at: byLine(mine), ranges: rangesOf(mine), write, begin } });
    }
    last.current = next;
    return new Map([...next].map(([path, { made }]) => [path, made]));
  }, [files, review]);
}

function rangesOf(placed: readonly Placed[]): ReadonlySet<string> {
  const ranges = placed.map(({ draft, place }) => ({ draft, range: rangeOf(draft, place.at === 'gone' ? null : place.line) }));
  return new Set(
    ranges.flatMap(({ draft: { side }, range }) =>
      range === null || range.first === range.last
        ? []
        : Array.from({ length: range.last - range.first + 1 }, (_, by) => lineKey(side, range.first + by)),
    ),
  );
}

function byLine(placed: readonly Placed[]): ReadonlyMap<string, readonly Placed[]> {
  const found = new Map<string, Placed[]>();
  for (const one of placed) {
    const line = one.place.at === 'gone' ? null : one.place.line;
    const key = line === null ? '' : lineKey(one.draft.side, line);
    found.set(key, [...(found.get(key) ?? []), one]);
  }
  return found;
}
