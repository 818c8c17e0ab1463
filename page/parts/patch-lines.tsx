import { Fragment, type MouseEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { gapsOf, type Opened, showGap } from '../../src/tell/face/context-lines.ts';
import type { Hunk, PatchFile, PatchLine } from '../../src/tell/face/patch.ts';
import { sideOf } from '../../src/tell/face/review-place.ts';
import { type MarkedLine, type SideRow, sideBySide, unified } from '../../src/tell/face/side-by-side.ts';
import type { Token } from '../../src/tell/face/syntax.ts';
import { shownCode } from './code.ts';
import { type Colours, colouredPieces, useColours } from './colours.ts';
import { Comment, type Placed } from './comment.tsx';
import { type FileReview, lineKey } from './file-review.ts';
import { CLOSED, type End, type Gapped, GapRow, useGaps } from './patch-gaps.tsx';
import { NOTHING, type Picking, usePicking } from './pick-lines.ts';

/** Rows of one table; a table is made when it comes near: 6,000 rows at once stopped the page for seconds. */
const CHUNK = 100;
/** More than this is drawn after a press. */
const FIRST_ROWS = 2_000;

export type Layout = 'unified' | 'split';
type Row = Gapped | SideRow;

const keyOf = (line: PatchLine): string => lineKey(sideOf(line).side, sideOf(line).line);

const COLUMNS = { unified: ['n', 'n', 'code'], split: ['n', 'code', 'n', 'code'] } as const;

interface LinesProps {
  readonly file: PatchFile;
  readonly layout: Layout;
  /** Undefined: nobody can be told anything about it. */
  readonly review: FileReview | undefined;
}

/** The lines of a file, with the comments below theirs and with more lines around them at a press. */
export function Lines({ file, layout, review }: LinesProps) {
  const [most, setMost] = useState(FIRST_ROWS);
  const { opened, texts, open } = useGaps(file);
  const colours = useColours(file, texts);
  const rows = useMemo(() => rowsOf(file, layout, opened, texts), [file, layout, opened, texts]);
  const shown = useMemo(() => rows.slice(0, most), [rows, most]);
  const lines = useMemo(() => linesOf(shown), [shown]);
  const { picked, picking } = usePicking(lines, review);
  const chunks = useMemo(
    () => Array.from({ length: Math.ceil(shown.length / CHUNK) }, (_, at) => shown.slice(at * CHUNK, (at + 1) * CHUNK)),
    [shown],
  );
  return (
    <>
      {chunks.map((chunk, at) => (
        <Part
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a patch do not move.
          key={at}
          rows={chunk}
          layout={layout}
          review={review}
          picking={picking}
          // Another part is not drawn again for them.
          picked={picked.size > 0 && linesOf(chunk).some((line) => picked.has(keyOf(line))) ? picked : NOTHING}
          open={open}
          colours={colours}
          label={`${visible(file.path)}, part ${at + 1} of ${chunks.length}`}
        />
      ))}
      {shown.length < rows.length && (
        <button type="button" className="patch-more" onClick={() => setMost(most + FIRST_ROWS)}>
          {(rows.length - shown.length).toLocaleString('en-US')} lines are left out: show{' '}
          {Math.min(FIRST_ROWS, rows.length - shown.length).toLocaleString('en-US')} more
        </button>
      )}
    </>
  );
}

interface PartProps extends Pick<LinesProps, 'layout' | 'review'> {
  readonly rows: readonly Row[];
  readonly label: string;
  readonly picking: Picking;
  readonly picked: ReadonlySet<string>;
  readonly open: (gap: number, end: End) => void;
  readonly colours: Colours | undefined;
}

/** A hundred rows: empty of about their height until they are near, and kept after that. */
const Part = memo(({ rows, layout, review, picking, picked, label, open, colours }: PartProps) => {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (near || !element) return;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), { rootMargin: '1000px' });
    watch.observe(element);
    return () => watch.disconnect();
  }, [near]);
  if (!near) return <div ref={place} className={rows.length > CHUNK / 2 ? 'patch-part far' : 'patch-part'} />;
  return (
    <table
      className={`patch ${layout}`}
      aria-label={label}
      onClick={(event) => press(event, picking, open)}
      onMouseDown={picking.down}
      onMouseMove={picking.over}
      onKeyDown={picking.walk}
    >
      <colgroup>
        {COLUMNS[layout].map((name, column) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns do not move.
          <col key={column} className={name} />
        ))}
      </colgroup>
      <tbody>
        {rows.map((row, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a patch do not move.
          <Fragment key={n}>
            <RowView row={row} layout={layout} numbers={review && { about: review.ranges, picked }} colours={colours} />
            {review && 'left' in row && <Comments row={row} layout={layout} review={review} />}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
});

/** The number of a line was pressed by the keyboard (a press of the mouse has a count), or a button for more lines. */
function press(event: MouseEvent, picking: Picking, open: PartProps['open']): void {
  const { line, gap, end } = (event.target as Element).closest<HTMLElement>('[data-line], [data-gap]')?.dataset ?? {};
  if (gap !== undefined) open(Number(gap), end as End);
  if (line !== undefined && event.detail === 0) picking.press(line);
}

/** The lines of the rows, a line that did not change once. */
const linesOf = (rows: readonly Row[]): readonly PatchLine[] =>
  rows.flatMap((row) => ('left' in row ? [row.left, row.right === row.left ? null : row.right] : [])).filter((line) => line !== null);

function rowsOf(file: PatchFile, layout: Layout, opened: ReadonlyMap<number, Opened>, texts: readonly string[] | undefined): Row[] {
  const { hunks, how } = file;
  const plain = (line: PatchLine): SideRow => {
    const marked = { ...line, pieces: [{ text: line.text, changed: false }] };
    return { left: marked, right: layout === 'split' ? marked : null };
  };
  const gaps = how === 'added' || how === 'deleted' ? [] : gapsOf(hunks);
  const gapRows = (at: number): Row[] => {
    const gap = gaps[at];
    if (!gap) return [];
    const { top, bottom, hidden } = showGap(gap, opened.get(at) ?? CLOSED, texts);
    const left = hidden === 0 ? [] : [{ gap: at, where: gap.where, hidden }];
    return [...top.map(plain), ...left, ...bottom.map(plain)];
  };
  const hunkRows = (hunk: Hunk): Row[] =>
    layout === 'split' ? sideBySide(hunk) : unified(hunk).map((line) => ({ left: line, right: null }));
  return [...hunks.flatMap((hunk, at) => [...gapRows(at), ...hunkRows(hunk)]), ...gapRows(hunks.length)];
}

/** The comments on the lines of a row, in the order of its sides. */
function Comments({
  row: { left, right },
  layout,
  review,
}: {
  readonly row: SideRow;
  readonly layout: Layout;
  readonly review: FileReview;
}) {
  if (review.at.size === 0) return null;
  const at = (line: MarkedLine | null): readonly Placed[] => {
    if (!line) return [];
    const { side, line: n } = sideOf(line);
    return review.at.get(lineKey(side, n)) ?? [];
  };
  const found = left === right ? at(left) : [...at(left), ...at(right)];
  if (found.length === 0) return null;
  return (
    <tr>
      <td className="said" colSpan={COLUMNS[layout].length}>
        {found.map((placed) => (
          <Comment key={placed.draft.id} placed={placed} write={review.write} />
        ))}
      </td>
    </tr>
  );
}

interface RowProps extends Pick<PartProps, 'colours'> {
  readonly row: Row;
  readonly layout: Layout;
  /** The lines that somebody comments on; undefined: nobody can. */
  readonly numbers: Numbers | undefined;
}

interface Numbers {
  readonly about: ReadonlySet<string>;
  readonly picked: ReadonlySet<string>;
}

function RowView({ row, layout, numbers, colours }: RowProps) {
  if ('gap' in row) return <GapRow row={row} columns={COLUMNS[layout].length} />;
  const { left, right } = row;
  if (layout === 'unified' && left)
    return (
      <tr className={TONES[left.sign]}>
        <td className="n">{left.new === null && numbers ? <LineNumber line={left} {...numbers} /> : left.old}</td>
        <td className="n">{left.new !== null && numbers ? <LineNumber line={left} {...numbers} /> : left.new}</td>
        <Code line={left} colours={colours} />
      </tr>
    );
  return (
    <tr>
      <td className={`n ${left ? TONES[left.sign] : 'none'}`}>
        {left && numbers && left !== right ? <LineNumber line={left} {...numbers} /> : left?.old}
      </td>
      <Code line={left} colours={colours} />
      <td className={`n ${right ? TONES[right.sign] : 'none'}`}>
        {right && numbers ? <LineNumber line={right} {...numbers} /> : right?.new}
      </td>
      <Code line={right} colours={colours} />
    </tr>
  );
}

/** Not in the order of Tab, because there are thousands: `c` leads to it, arrow keys go on, and a screen reader finds it by itself. */
function LineNumber({ line, about, picked }: Numbers & { readonly line: MarkedLine }) {
  const { side, line: n } = sideOf(line);
  const key = lineKey(side, n);
  return (
    <button
      type="button"
      tabIndex={-1}
      data-line={key}
      className={about.has(key) || picked.has(key) ? 'picked' : undefined}
      aria-label={`Comment on ${side === 'old' ? 'removed ' : ''}line ${n}`}
    >
      {n}
    </button>
  );
}

const TONES = { '+': 'added', '-': 'removed', ' ': '' } as const;

function Code({ line, colours }: { readonly line: MarkedLine | null } & Pick<PartProps, 'colours'>) {
  if (!line) return <td className="code none" />;
  const pieces = colouredPieces(line.pieces, colours?.(line) ?? []);
  return (
    <td className={`code ${TONES[line.sign]}`}>
      <span className="sign">{line.sign === '-' ? '−' : line.sign}</span>
      {pieces.map(({ text, changed, is }, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not move.
        changed ? <mark key={at}>{coloured(text, is)}</mark> : <Fragment key={at}>{coloured(text, is)}</Fragment>,
      )}
    </td>
  );
}

const coloured = (text: string, is: Token | undefined) =>
  is === undefined ? shownCode(text) : <span className={`token ${is === 'comment' ? 'remark' : is}`}>{shownCode(text)}</span>;
