import { useCallback, useSyncExternalStore } from 'react';
import type { CallName, In, Out } from '../../src/api/contract.ts';
import { Refused } from '../link/link.ts';
import { useLink } from '../link/use-farm.ts';

interface Note {
  readonly id: number;
  readonly text: string;
  readonly hint: string | undefined;
  readonly bad: boolean;
}

let notes: readonly Note[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
const set = (next: readonly Note[]) => {
  notes = next;
  for (const listener of listeners) listener();
};
const drop = (id: number) => set(notes.filter((note) => note.id !== id));

/** Says something at the foot of the page. A confirmation goes by itself; an error stays until it is closed. */
export function say(text: string, error?: Error): void {
  const id = nextId++;
  const others = notes.filter((note) => note.text !== text);
  set([...others.slice(-3), { id, text, hint: error instanceof Refused ? error.hint : undefined, bad: error !== undefined }]);
  if (!error) setTimeout(() => drop(id), 5000);
}

/** Makes a call that changes something, says what was done, or why not. The answer, or `undefined` when it was refused. */
export function useAct() {
  const link = useLink();
  return useCallback(
    async <N extends CallName>(name: N, args: In<N>, done: string): Promise<Out<N> | undefined> => {
      try {
        const answer = await link.call(name, args);
        say(done);
        return answer;
      } catch (error) {
        say((error as Error).message, error as Error);
        return undefined;
      }
    },
    [link],
  );
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Notes() {
  const shown = useSyncExternalStore(subscribe, () => notes);
  return (
    <div className="notes" role="status" aria-live="polite">
      {shown.map(({ id, text, hint, bad }) => (
        <div key={id} className={bad ? 'note bad' : 'note'}>
          <span>
            {text}
            {hint && <span className="muted"> Next: {hint}</span>}
          </span>
          <button type="button" className="quiet" aria-label="Close this message" onClick={() => drop(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
