import { useEffect, useMemo, useState } from 'react';
import type { PatchFile, PatchLine } from '../../src/tell/face/patch.ts';
import type { Piece } from '../../src/tell/face/side-by-side.ts';
import type { Span, Token } from '../../src/tell/face/syntax.ts';

type Syntax = typeof import('../../src/tell/face/syntax.ts');

/** The spans of a line of the file. */
export type Colours = (line: PatchLine) => readonly Span[];

/** Of a longer change the lines stay as they are. */
const MOST_LINES = 5_000;

let syntax: Syntax | undefined;
const loadSyntax = async (): Promise<Syntax> => (syntax ??= await import('../../src/tell/face/syntax.ts'));

/** The colours of a file, once what knows them is loaded; `texts`: all of its new lines, if they are known. */
export function useColours(file: PatchFile, texts: readonly string[] | undefined): Colours | undefined {
  const [known, setKnown] = useState(syntax);
  useEffect(() => {
    // Without colours a change can be read, too.
    if (!known)
      loadSyntax().then(
        (loaded) => setKnown(loaded),
        () => {},
      );
  }, [known]);
  return useMemo(() => known && coloursOf(known, file, texts), [known, file, texts]);
}

function coloursOf({ languageOf, colour }: Syntax, file: PatchFile, texts: readonly string[] | undefined): Colours | undefined {
  const language = languageOf(file.path);
  if (!language || file.hunks.reduce((sum, { lines }) => sum + lines.length, 0) > MOST_LINES) return undefined;
  let spans: Map<string, readonly Span[]> | undefined;
  const all = () => {
    const found = new Map<string, readonly Span[]>();
    const add = (side: 'old' | 'new', lines: readonly { readonly n: number; readonly text: string }[]) => {
      const told = colour(
        language,
        lines.map(({ text }) => text),
      );
      for (const [at, { n }] of lines.entries()) found.set(`${side}${n}`, told[at]!);
    };
    for (const { lines } of file.hunks)
      for (const side of ['old', 'new'] as const)
        add(
          side,
          lines.flatMap((line) => (line[side] === null ? [] : [{ n: line[side], text: line.text }])),
        );
    // Of the whole file it is known where each comment began.
    if (texts && texts.length <= MOST_LINES)
      add(
        'new',
        texts.map((text, n) => ({ n: n + 1, text })),
      );
    return found;
  };
  return (line) => {
    spans ??= all();
    return spans.get(line.new === null ? `old${line.old}` : `new${line.new}`) ?? [];
  };
}

export interface ColouredPiece extends Piece {
  readonly is: Token | undefined;
}

/** Cuts the pieces of a line where a colour begins or ends. */
export function colouredPieces(pieces: readonly Piece[], spans: readonly Span[]): ColouredPiece[] {
  let at = 0;
  return pieces.flatMap(({ text, changed }) => {
    const [from, to] = [at, at + text.length];
    at = to;
    const cuts = [...new Set([from, ...spans.flatMap((span) => [span.from, span.to]).filter((cut) => cut > from && cut < to), to])];
    return cuts.slice(1).map((end, n): ColouredPiece => {
      const begin = cuts[n]!;
      return { text: text.slice(begin - from, end - from), changed, is: spans.find((span) => span.from <= begin && end <= span.to)?.is };
    });
  });
}
