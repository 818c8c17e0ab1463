import { useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { asksYes } from '../../src/tell/face/approval.ts';
import { comments } from '../../src/tell/face/review-text.ts';
import { reasonWithoutCommands } from '../../src/tell/face/subject-names.ts';
import type { QueueEntry } from '../../src/tell/face/view.ts';
import { useControl, useView } from '../link/use-farm.ts';
import { useAct } from '../shell/act.ts';
import { useKeys } from '../shell/keys.ts';
import type { Placed } from './comment.tsx';
import type { Drafts } from './review-drafts.ts';
import { type Receiver, SendReview } from './send-review.tsx';
import { Unsent, useOpen } from './unsent.tsx';

interface DecideProps {
  /** The entry that is shown with exactly its commit; without one there is nothing to let land. */
  readonly entry: QueueEntry | undefined;
  readonly receiver: Receiver;
  readonly drafts: Drafts;
  readonly placed: readonly Placed[];
}

const SAYS: Readonly<Record<Receiver['how'], string>> = {
  reject: 'Send it back',
  tell: 'Tell its agent',
  retry: 'Try it again',
  nobody: 'Your comments',
};

/** A person's word on the change that is shown: a yes where one is asked for, or what is to be done differently. */
export function Decide({ entry, receiver, drafts, placed }: DecideProps) {
  const control = useControl();
  const [writing, setWriting] = useState(false);
  const { how } = receiver;
  const begin = () => {
    setWriting(true);
    document.querySelector('.decide')?.scrollIntoView({ block: 'nearest' });
  };
  useKeys('Your decision', control ? [{ key: 'n', says: `${SAYS[how].toLowerCase()}, with your comments and a note`, run: begin }] : []);
  if (!control) return null;
  return (
    <>
      <div className="decide">
        <div className="row">
          {entry && <Approve entry={entry} unsent={placed.length} />}
          <button type="button" onClick={() => (writing ? setWriting(false) : begin())} aria-expanded={writing} aria-keyshortcuts="n">
            <kbd>n</kbd> {SAYS[how]}
          </button>
          {entry?.reason && <span className="muted">{visible(reasonOf(entry.reason))}</span>}
        </div>
        {writing && <SendReview receiver={receiver} drafts={drafts} placed={placed} close={() => setWriting(false)} />}
      </div>
      {placed.length > 0 && !writing && (
        <div className="review-bar row" role="status">
          <strong>{comments(placed.length)}</strong> <span className="muted grow">not sent yet</span>
          <button type="button" className="main" onClick={begin}>
            {SAYS[how]}…
          </button>
        </div>
      )}
    </>
  );
}

const reasonOf = (reason: string) => reasonWithoutCommands({ kind: 'approval', reason, output: null });

function Approve({ entry, unsent }: { readonly entry: QueueEntry; readonly unsent: number }) {
  const asked = useView(({ attention }) => asksYes(entry, attention));
  const act = useAct();
  const open = useOpen();
  const [kept, setKept] = useState(false);
  const approve = () => {
    setKept(!open);
    if (open) void act('approve', { tasks: [entry.task], commit: entry.sha }, `${entry.task} may land.`);
  };
  useKeys('Your yes', asked ? [{ key: 'y', says: 'let it land', run: approve }] : []);
  return (
    <>
      {asked && (
        <button type="button" className="main" onClick={approve} aria-keyshortcuts="y">
          <kbd>y</kbd> Let it land
        </button>
      )}
      {asked && unsent > 0 && <span className="warn">without your {comments(unsent)}</span>}
      {entry.approved !== null && <span className="tag good">approved</span>}
      {kept && <Unsent says="Let it land" send={approve} />}
    </>
  );
}
