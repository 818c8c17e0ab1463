import { useMemo, useSyncExternalStore } from 'react';
import type { Anchor } from '../../src/tell/face/review-place.ts';
import { useHello } from '../link/use-farm.ts';
import { say } from '../shell/notes-store.ts';

/** A comment that was not sent yet. */
export interface Draft extends Anchor {
  readonly id: string;
  readonly text: string;
}

/** Everything that a person wrote about one change: kept by the browser until it is sent or removed. */
export interface Review {
  readonly words: string;
  readonly drafts: readonly Draft[];
}

export interface Drafts extends Review {
  add(draft: Draft): void;
  /** `quiet`: as it is typed; the lines of the change are not drawn again. One that was removed meanwhile stays removed. */
  put(draft: Draft, quiet?: boolean): void;
  remove(id: string): void;
  setWords(words: string): void;
  clear(): void;
}

const NONE: Review = { words: '', drafts: [] };
const known = new Map<string, { readonly kept: string; readonly review: Review }>();
const listeners = new Set<() => void>();

const subscribe = (changed: () => void) => {
  listeners.add(changed);
  // Another tab with the same change.
  addEventListener('storage', changed);
  return () => {
    listeners.delete(changed);
    removeEventListener('storage', changed);
  };
};

function read(key: string): Review {
  const kept = localStorage.getItem(key) ?? '';
  const last = known.get(key);
  if (last?.kept === kept) return last.review;
  const review = parsed(kept);
  known.set(key, { kept, review });
  return review;
}

function parsed(kept: string): Review {
  try {
    const { words, drafts } = JSON.parse(kept) as Review;
    // One that was begun and left without a word is no comment.
    return { words, drafts: drafts.filter(({ text }) => text !== '') };
  } catch {
    return NONE;
  }
}

function write(key: string, review: Review, quiet = false): void {
  const empty = review.words === '' && review.drafts.length === 0;
  const kept = empty ? '' : JSON.stringify(review);
  try {
    if (empty) localStorage.removeItem(key);
    else localStorage.setItem(key, kept);
  } catch (error) {
    say('The browser has no room to keep your comment: send it before you leave this page.', error as Error);
  }
  known.set(key, { kept: localStorage.getItem(key) ?? '', review });
  if (!quiet) for (const changed of listeners) changed();
}

/** The comments on the change of a task, or of a branch. */
export function useDrafts(subject: string): Drafts {
  const key = `furrow.review.${useHello()?.repo ?? ''}.${subject}`;
  const review = useSyncExternalStore(subscribe, () => read(key));
  return { ...review, ...useMemo(() => writing(key), [key]) };
}

function writing(key: string): Omit<Drafts, keyof Review> {
  const change = (to: (drafts: readonly Draft[]) => readonly Draft[], quiet?: boolean) => {
    const { words, drafts } = read(key);
    write(key, { words, drafts: to(drafts) }, quiet);
  };
  return {
    add: (draft) => change((all) => [...all, draft]),
    put: (draft, quiet) => change((all) => all.map((one) => (one.id === draft.id ? draft : one)), quiet),
    remove: (id) => change((all) => all.filter((one) => one.id !== id)),
    setWords: (words) => write(key, { ...read(key), words }),
    clear: () => write(key, NONE),
  };
}
