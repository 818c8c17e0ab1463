import { useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import type { Place } from '../../src/tell/face/review-place.ts';
import { linesNamed } from '../../src/tell/face/review-text.ts';
import { focusOnce } from './focus-once.ts';
import type { Draft, Drafts } from './review-drafts.ts';

/** A comment, and where its line is in the change that is shown. */
export interface Placed {
  readonly draft: Draft;
  readonly place: Place;
}

export type Write = Pick<Drafts, 'add' | 'put' | 'remove'>;

/** `src/a.ts:12`, or `src/a.ts:12-15`; lines that were taken out have a minus. */
export const placeName = ({ path, side, quote }: Draft, line: number | null): string =>
  `${visible(path)}${line === null ? '' : `:${side === 'old' ? '−' : ''}${linesNamed(line, quote)}`}`;

const isOnSeveral = ({ quote }: Draft) => quote.includes('\n');

/** One comment: its words, or the field to write them. What is typed is kept as it is typed. */
export function Comment({ placed, write }: { readonly placed: Placed; readonly write: Write }) {
  const { draft, place } = placed;
  const [typed, setTyped] = useState(draft.text === '' ? '' : undefined);
  const name = placeName(draft, place.at === 'gone' ? draft.line : place.line);
  const close = () => {
    if (typed !== undefined && typed.trim() === '') write.remove(draft.id);
    else if (typed !== undefined) write.put({ ...draft, text: typed });
    setTyped(undefined);
  };
  return (
    <section id={`comment-${draft.id}`} className="comment" aria-label={`Your comment on ${name}`}>
      {place.at === 'moved' && (
        <p className="muted">
          {isOnSeveral(draft) ? 'Its lines are' : 'Its line is'} {linesNamed(place.line ?? 0, draft.quote)} now;{' '}
          {isOnSeveral(draft) ? 'they were' : 'it was'} {linesNamed(draft.line ?? 0, draft.quote)} when you wrote this.
        </p>
      )}
      {place.at === 'gone' && <Gone draft={draft} write={write} />}
      {typed === undefined ? (
        <p className="comment-text">{draft.text.split('\n').map(visible).join('\n')}</p>
      ) : (
        <textarea
          ref={focusOnce}
          rows={3}
          aria-label={`Comment on ${name}`}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            write.put({ ...draft, text: event.target.value }, true);
          }}
          onBlur={() => write.put({ ...draft, text: typed })}
          onKeyDown={(event) => {
            if (event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))) close();
          }}
        />
      )}
      <div className="row">
        {typed === undefined ? (
          <button type="button" onClick={() => setTyped(draft.text)}>
            Edit
          </button>
        ) : (
          <button type="button" className="main" disabled={typed.trim() === ''} onClick={close}>
            Add to your review
          </button>
        )}
        <button type="button" className="quiet" onClick={() => write.remove(draft.id)}>
          Remove
        </button>
        {typed !== undefined && <span className="muted">Ctrl+Enter adds it; nothing is sent yet</span>}
      </div>
    </section>
  );
}

function goneName(draft: Draft): string {
  if (draft.line === null) return 'This file is';
  const several = isOnSeveral(draft);
  return `${several ? 'Lines' : 'Line'} ${linesNamed(draft.line, draft.quote)} of ${visible(draft.path)} ${several ? 'are' : 'is'}`;
}

/** A newer commit took the line away, or has several like it. It is for the person to say what becomes of the comment. */
function Gone({ draft, write }: { readonly draft: Draft; readonly write: Write }) {
  return (
    <>
      <p className="warn">{goneName(draft)} not to be found in the change as it is now:</p>
      {draft.quote !== '' && <pre className="quote">{draft.quote.split('\n').map(visible).join('\n')}</pre>}
      <button type="button" onClick={() => write.put({ ...draft, line: null, before: [], after: [] })}>
        Keep it, without {isOnSeveral(draft) ? 'its lines' : 'a line'}
      </button>
    </>
  );
}
