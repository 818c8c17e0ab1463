import { useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { comments, type LineComment, reviewText } from '../../src/tell/face/review-text.ts';
import { useAct } from '../shell/act.ts';
import { Comment, type Placed, placeName } from './comment.tsx';
import { focusOnce } from './focus-once.ts';
import type { Drafts } from './review-drafts.ts';
import { Unsent, useOpen } from './unsent.tsx';

/** To whom the comments on a change go, all at once. `nobody`: why they have to wait. */
export type Receiver =
  | { readonly how: 'reject'; readonly task: string; readonly commit: string }
  | { readonly how: 'tell'; readonly agent: string }
  | { readonly how: 'retry'; readonly task: string }
  | { readonly how: 'nobody'; readonly why: string };

interface SendProps {
  readonly receiver: Receiver;
  readonly drafts: Drafts;
  readonly placed: readonly Placed[];
  readonly close: () => void;
}

const WORDS: Readonly<Record<Receiver['how'], string>> = { reject: 'Send back', tell: 'Send', retry: 'Try again', nobody: 'Send' };

/** All comments and a few words more, sent together. A comment without a place in the change that is shown holds them up. */
export function SendReview({ receiver, drafts, placed, close }: SendProps) {
  const send = useSend(receiver, drafts, placed);
  const open = useOpen();
  const [unsent, setUnsent] = useState(false);
  const gone = placed.filter(({ place }) => place.at === 'gone');
  const empty = placed.length === 0 && drafts.words.trim() === '';
  const stopped = empty || gone.length > 0 || receiver.how === 'nobody';
  const submit = async () => {
    if (stopped) return;
    setUnsent(!open);
    if (open && (await send())) close();
  };
  const word = `${WORDS[receiver.how]}${placed.length > 0 ? ` with ${comments(placed.length)}` : ''}`;
  return (
    <form
      className="stack send-review"
      aria-label="Your review"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <List placed={placed.filter(({ place }) => place.at !== 'gone')} />
      {gone.map((one) => (
        <Comment key={one.draft.id} placed={one} write={drafts} />
      ))}
      <textarea
        ref={focusOnce}
        rows={3}
        aria-label="What to do differently"
        placeholder={placed.length === 0 ? 'What to do differently' : 'Anything more to say'}
        value={drafts.words}
        onChange={(event) => drafts.setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
        }}
      />
      {gone.length > 0 && (
        <p className="warn">
          The change is another one since you wrote {comments(gone.length)}: say what becomes of {gone.length === 1 ? 'it' : 'them'} before
          anything is sent.
        </p>
      )}
      {receiver.how === 'nobody' && <p className="warn">{receiver.why}</p>}
      {unsent && <Unsent says={word} send={() => void submit()} />}
      <div className="row">
        <button type="submit" className="main" disabled={stopped}>
          {word}
        </button>
        <span className="muted">Ctrl+Enter sends, Escape closes; what you wrote is kept until it is sent</span>
      </div>
    </form>
  );
}

function List({ placed }: { readonly placed: readonly Placed[] }) {
  if (placed.length === 0) return null;
  return (
    <ol className="review-list" aria-label="Your comments">
      {placed.map(({ draft, place }) => (
        <li key={draft.id}>
          <button type="button" className="quiet mono" onClick={() => showComment(draft.id)}>
            {placeName(draft, place.at === 'gone' ? null : place.line)}
          </button>
          <span className="cut grow">{visible(draft.text.split('\n')[0] ?? '')}</span>
        </li>
      ))}
    </ol>
  );
}

/** Its lines may not be made yet, when they are far away: then the file comes near first. */
export function showComment(id: string): void {
  const at = document.getElementById(`comment-${id}`);
  at?.scrollIntoView({ block: 'center' });
  at?.querySelector<HTMLElement>('button')?.focus({ preventScroll: true });
}

/** Sends everything in one call, and forgets it only when it has arrived. */
function useSend(receiver: Receiver, drafts: Drafts, placed: readonly Placed[]): () => Promise<boolean> {
  const act = useAct();
  const given = placed.map(({ draft: { path, side, quote, text }, place }): LineComment => {
    return { path, side, quote, text: text.trim(), line: place.at === 'gone' ? null : place.line };
  });
  return async () => {
    switch (receiver.how) {
      case 'reject': {
        const { task, commit } = receiver;
        const done = await act('reject', { task, reason: drafts.words, commit, comments: given }, ({ told }) =>
          told ? `${task} goes back with what you wrote.` : `${task} is out of the queue. No agent works on it: what you wrote stays here.`,
        );
        // A branch of a person's own has no agent that could be told.
        if (done?.told) drafts.clear();
        return done !== undefined;
      }
      case 'tell': {
        const text = `A person looked at your work as it is now: ${reviewText(drafts.words, given)}`;
        const done = await act('notify', { to: receiver.agent, text }, `${receiver.agent} is told what you wrote.`);
        if (done) drafts.clear();
        return done !== undefined;
      }
      case 'retry': {
        const { task } = receiver;
        const done = await act('retry', { task, reason: reviewText(drafts.words, given) }, `${task} is tried again with what you wrote.`);
        if (done) drafts.clear();
        return done !== undefined;
      }
      default:
        return false;
    }
  };
}
