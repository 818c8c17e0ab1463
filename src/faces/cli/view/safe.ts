import { clean } from '../../../platform/strip-controls.ts';

/**
 * A reply with every text in it made fit for a terminal. Whole replies and not single fields: a field that is
 * forgotten would let a task's title move the cursor or colour the screen.
 */
export function safe<T>(value: T): T {
  if (typeof value === 'string') return clean(value) as T;
  if (Array.isArray(value)) return value.map(safe) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [clean(key), safe(inner)])) as T;
}

/** Controls that JSON leaves as they are, and the marks that turn or hide text: escaped, a terminal shows them as letters. */
const UNSEEN = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** JSON with the same meaning, in which nothing steers a terminal. */
export function asJson(value: unknown): string {
  const escaped = (mark: string) => mark.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return JSON.stringify(value).replace(UNSEEN, (mark) => escaped(mark).join(''));
}
