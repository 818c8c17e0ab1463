import { Refused } from '../link/link.ts';

export interface Note {
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

export const notesNow = (): readonly Note[] => notes;

export const dropNote = (id: number): void => set(notes.filter((note) => note.id !== id));

/** Says something at the foot of the page. A confirmation goes by itself; an error stays until it is closed. */
export function say(text: string, error?: Error): void {
  const id = nextId++;
  const others = notes.filter((note) => note.text !== text);
  set([...others.slice(-3), { id, text, hint: error instanceof Refused ? error.hint : undefined, bad: error !== undefined }]);
  if (!error) setTimeout(() => dropNote(id), 5000);
}

export const onNotes = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
