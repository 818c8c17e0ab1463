import { useSyncExternalStore } from 'react';
import { dropNote, notesNow, onNotes } from './notes-store.ts';

export function Notes() {
  const shown = useSyncExternalStore(onNotes, notesNow);
  return (
    <div className="notes" role="status" aria-live="polite">
      {shown.map(({ id, text, hint, bad }) => (
        <div key={id} className={bad ? 'note bad' : 'note'}>
          <span>
            {text}
            {hint && <span className="muted"> Next: {hint}</span>}
          </span>
          <button type="button" className="quiet" aria-label="Close this message" onClick={() => dropNote(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
