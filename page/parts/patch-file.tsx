import { memo } from 'react';
import { visible } from '../../src/platform/visible.ts';
import type { PatchFile } from '../../src/tell/face/patch.ts';
import { Comment } from './comment.tsx';
import type { FileReview } from './file-review.ts';
import { type Layout, Lines } from './patch-lines.tsx';
import { isPicture, Pictures, Sizes } from './picture.tsx';

interface FileProps {
  readonly file: PatchFile;
  readonly id: string;
  readonly layout: Layout;
  readonly open: boolean;
  /** The one that the address names. */
  readonly chosen: boolean;
  readonly viewed: boolean;
  readonly review: FileReview | undefined;
  readonly toggle: (file: PatchFile, open: boolean) => void;
  readonly tick: (file: PatchFile, viewed: boolean) => void;
}

const SIGNS = { added: 'A', deleted: 'D', renamed: 'R', changed: 'M' } as const;

/** One file of a change. Its lines are made only while it is open. */
export const PatchFileView = memo(({ file, id, layout, open, chosen, viewed, review, toggle, tick }: FileProps) => {
  const { path, from, how, added, removed } = file;
  const body = `${id}-lines`;
  return (
    <section
      id={id}
      className={`patch-file${chosen ? ' chosen' : ''}${open ? '' : ' folded'}`}
      aria-label={visible(path)}
      aria-current={chosen ? 'true' : undefined}
    >
      <header>
        <button type="button" className="quiet fold" aria-expanded={open} aria-controls={body} onClick={() => toggle(file, !open)}>
          <span aria-hidden="true">{open ? '▾' : '▸'}</span>
          <span className={`tag ${how === 'added' ? 'good' : how === 'deleted' ? 'bad' : ''}`} title={how}>
            {SIGNS[how]}
          </span>
          <span className="mono">
            {from !== null && `${visible(from)} → `}
            {visible(path)}
          </span>
        </button>
        <span className="good num">+{added}</span>
        <span className="bad num">−{removed}</span>
        {review && (
          <button
            type="button"
            className="quiet"
            onClick={() => {
              toggle(file, true);
              review.begin('new', null);
            }}
          >
            Comment
          </button>
        )}
        <label className="check" title="Folds it, and is forgotten when the file changes">
          <input type="checkbox" checked={viewed} onChange={(event) => tick(file, event.target.checked)} /> viewed
        </label>
      </header>
      <div id={body}>{open && <Body file={file} layout={layout} review={review} />}</div>
    </section>
  );
});

function Body({ file, layout, review }: Pick<FileProps, 'file' | 'layout' | 'review'>) {
  const { how, binary, notes, hunks } = file;
  return (
    <>
      {review?.at.get('')?.map((placed) => (
        <Comment key={placed.draft.id} placed={placed} write={review.write} />
      ))}
      {notes.map((note) => (
        <p key={note} className="muted patch-note">
          {visible(note)}
        </p>
      ))}
      {isPicture(file) ? <Pictures file={file} /> : binary && <Sizes file={file} />}
      {!binary && hunks.length === 0 && <p className="muted patch-note">No line of it changed.</p>}
      {/* Of a new file there is only one side. */}
      {hunks.length > 0 && (
        <Lines key={file.blobs.new} file={file} layout={how === 'changed' || how === 'renamed' ? layout : 'unified'} review={review} />
      )}
    </>
  );
}
