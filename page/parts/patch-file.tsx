import { memo } from 'react';
import { visible } from '../../src/platform/visible.ts';
import type { PatchFile } from '../../src/tell/face/patch.ts';
import { Comment } from './comment.tsx';
import type { FileReview } from './file-review.ts';
import { type Layout, Lines } from './patch-lines.tsx';

interface FileProps {
  readonly file: PatchFile;
  readonly id: string;
  readonly layout: Layout;
  readonly open: boolean;
  readonly review: FileReview | undefined;
  readonly toggle: (id: string, open: boolean) => void;
}

const SIGNS = { added: 'A', deleted: 'D', renamed: 'R', changed: 'M' } as const;

/** One file of a change. Its lines are made only while it is open. */
export const PatchFileView = memo(({ file, id, layout, open, review, toggle }: FileProps) => {
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
      {open && review && (
        <button type="button" className="quiet patch-word" onClick={() => review.begin('new', null)}>
          Comment on the file
        </button>
      )}
      {open && review?.at.get('')?.map((placed) => <Comment key={placed.draft.id} placed={placed} write={review.write} />)}
      {open &&
        notes.map((note) => (
          <p key={note} className="muted patch-note">
            {visible(note)}
          </p>
        ))}
      {open && binary && <p className="muted patch-note">A binary file; its bytes are not shown.</p>}
      {open && !binary && nothing && <p className="muted patch-note">No line of it changed.</p>}
      {/* Of a new file there is only one side. */}
      {open && !nothing && <Lines file={file} layout={how === 'changed' || how === 'renamed' ? layout : 'unified'} review={review} />}
    </details>
  );
});
