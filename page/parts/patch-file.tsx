import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import type { PatchFile } from '../../src/tell/face/patch.ts';
import { type MarkedLine, type SideRow, sideBySide, unified } from '../../src/tell/face/side-by-side.ts';
import { shownCode } from './code.ts';

/** Rows of one table; a table is made when it comes near: 6,000 rows at once stopped the page for seconds. */
const CHUNK = 100;
/** More than this is drawn after a press. */
const FIRST_ROWS = 2_000;

type Layout = 'unified' | 'split';
type Row = { readonly where: string } | SideRow;

interface FileProps {
  readonly file: PatchFile;
  readonly id: string;
  readonly layout: Layout;
  readonly open: boolean;
  readonly toggle: (id: string, open: boolean) => void;
}

const COLUMNS = { unified: ['n', 'n', 'code'], split: ['n', 'code', 'n', 'code'] } as const;

const SIGNS = { added: 'A', deleted: 'D', renamed: 'R', changed: 'M' } as const;

/** One file of a change. Its lines are made only while it is open. */
export const PatchFileView = memo(({ file, id, layout, open, toggle }: FileProps) => {
  const { path, from, how, binary, notes, added, removed, hunks } = file;
  const nothing = hunks.length === 0;
  return (
    <details id={id} className="patch-file" open={open} onToggle={(event) => toggle(id, event.currentTarget.open)}>
      <summary>
        <span className={`tag ${how === 'added' ? 'good' : how === 'deleted' ? 'bad' : ''}`} title={how}>
          {SIGNS[how]}
        </span>
        <span className="mono grow">
          {from !== null && `${visible(from)} → `}
          {visible(path)}
        </span>
        <span className="good num">+{added}</span>
        <span className="bad num">−{removed}</span>
      </summary>
      {open &&
        notes.map((note) => (
          <p key={note} className="muted patch-note">
            {visible(note)}
          </p>
        ))}
      {open && binary && <p className="muted patch-note">A binary file; its bytes are not shown.</p>}
      {open && !binary && nothing && <p className="muted patch-note">No line of it changed.</p>}
      {/* Of a new file there is only one side. */}
      {open && !nothing && <Lines file={file} layout={how === 'changed' || how === 'renamed' ? layout : 'unified'} />}
    </details>
  );
});

function Lines({ file, layout }: { readonly file: PatchFile; readonly layout: Layout }) {
  const [most, setMost] = useState(FIRST_ROWS);
  const rows = useMemo(() => rowsOf(file, layout), [file, layout]);
  const shown = rows.slice(0, most);
  const chunks = Array.from({ length: Math.ceil(shown.length / CHUNK) }, (_, at) => shown.slice(at * CHUNK, (at + 1) * CHUNK));
  return (
    <>
      {chunks.map((chunk, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a patch do not move.
        <Part key={at} rows={chunk} layout={layout} label={`${visible(file.path)}, part ${at + 1} of ${chunks.length}`} />
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

interface PartProps {
  readonly rows: readonly Row[];
  readonly layout: Layout;
  readonly label: string;
}

/** A hundred rows: empty of about their height until they are near, and kept after that. */
function Part({ rows, layout, label }: PartProps) {
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
    <table className={`patch ${layout}`} aria-label={label}>
      <colgroup>
        {COLUMNS[layout].map((name, column) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns do not move.
          <col key={column} className={name} />
        ))}
      </colgroup>
      <tbody>
        {rows.map((row, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a patch do not move.
          <RowView key={n} row={row} layout={layout} />
        ))}
      </tbody>
    </table>
  );
}

function rowsOf({ hunks }: PatchFile, layout: Layout): Row[] {
  return hunks.flatMap((hunk): Row[] => {
    const rows = layout === 'split' ? sideBySide(hunk) : unified(hunk).map((line) => ({ left: line, right: null }));
    // Nothing is left out before the first line of a file.
    const first = hunk.lines[0];
    return first?.old === 1 || first?.new === 1 ? rows : [{ where: hunk.where }, ...rows];
  });
}

function RowView({ row, layout }: { readonly row: Row; readonly layout: Layout }) {
  if ('where' in row)
    return (
      <tr className="where">
        <td colSpan={layout === 'split' ? 4 : 3}>⋯ {shownCode(row.where)}</td>
      </tr>
    );
  const { left, right } = row;
  if (layout === 'unified' && left)
    return (
      <tr className={TONES[left.sign]}>
        <td className="n">{left.old}</td>
        <td className="n">{left.new}</td>
        <Code line={left} />
      </tr>
    );
  return (
    <tr>
      <td className={`n ${left ? TONES[left.sign] : 'none'}`}>{left?.old}</td>
      <Code line={left} />
      <td className={`n ${right ? TONES[right.sign] : 'none'}`}>{right?.new}</td>
      <Code line={right} />
    </tr>
  );
}

const TONES = { '+': 'added', '-': 'removed', ' ': '' } as const;

function Code({ line }: { readonly line: MarkedLine | null }) {
  if (!line) return <td className="code none" />;
  return (
    <td className={`code ${TONES[line.sign]}`}>
      <span className="sign">{line.sign === '-' ? '−' : line.sign}</span>
      {line.pieces.map(({ text, changed }, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not move.
        changed ? <mark key={at}>{shownCode(text)}</mark> : shownCode(text),
      )}
    </td>
  );
}
