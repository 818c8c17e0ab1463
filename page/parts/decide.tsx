import { useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { asksYes } from '../../src/tell/face/approval.ts';
import type { QueueEntry } from '../../src/tell/face/view.ts';
import { useControl, useView } from '../link/use-farm.ts';
import { useAct } from '../shell/act.ts';
import { useKeys } from '../shell/keys.ts';
import { Unsent, useOpen } from './unsent.tsx';

/** A no to an entry, and a yes where one is asked for; for exactly the commit that is shown. */
export function Decide({ entry, commit }: { readonly entry: QueueEntry; readonly commit: string }) {
  const control = useControl();
  const asked = useView(({ attention }) => asksYes(entry, attention));
  const act = useAct();
  const [writing, setWriting] = useState(false);
  const [note, setNote] = useState('');
  const open = useOpen();
  const [unsent, setUnsent] = useState(false);
  const approve = () => {
    setUnsent(!open);
    if (open) void act('approve', { tasks: [entry.task], commit }, `${entry.task} may land.`);
  };
  const reject = async () => {
    const done = await act('reject', { task: entry.task, reason: note }, `${entry.task} goes back with your note.`);
    if (!done) return;
    setWriting(false);
    setNote('');
  };
  useKeys(
    'Your decision',
    control
      ? [
          ...(asked ? [{ key: 'y', says: 'let it land', run: approve }] : []),
          { key: 'n', says: 'send it back with a note', run: () => setWriting(true) },
        ]
      : [],
  );
  if (!control) return null;
  return (
    <div className="decide">
      <div className="row">
        {asked && (
          <button type="button" className="main" onClick={approve} aria-keyshortcuts="y">
            <kbd>y</kbd> Let it land
          </button>
        )}
        {entry.approved !== null && <span className="tag good">approved</span>}
        <button type="button" onClick={() => setWriting(!writing)} aria-expanded={writing} aria-keyshortcuts="n">
          <kbd>n</kbd> Send it back
        </button>
        {entry.reason && <span className="muted">{visible(entry.reason)}</span>}
      </div>
      {unsent && <Unsent says="Let it land" send={approve} />}
      {writing && (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void reject();
          }}
        >
          <textarea
            ref={(field) => field?.focus()}
            rows={3}
            aria-label="What to do differently"
            placeholder="What to do differently"
            value={note}
            onChange={(event) => setNote(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setWriting(false);
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && note.trim() !== '') void reject();
            }}
          />
          <div className="row">
            <button type="submit" className="main" disabled={note.trim() === ''}>
              Send back
            </button>
            <span className="muted">Ctrl+Enter sends, Escape closes</span>
          </div>
        </form>
      )}
    </div>
  );
}
