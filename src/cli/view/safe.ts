import { clean } from '../../platform/clean.ts';

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
