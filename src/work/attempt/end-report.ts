import type { Word } from './evidence.ts';

/** The word that ends an attempt, and when it came, in `awake` time. */
type Said = Word & { readonly at: number };

/** Reads a stored word. Undefined also when it cannot be read: one bad row must not keep attempts from being ended. */
export function readSaid(stored: string | null): Said | undefined {
  try {
    return stored === null ? undefined : (JSON.parse(stored) as Said);
  } catch {
    return undefined;
  }
}

/** The reason why a person gave the task up during this attempt; `undefined`: nobody did. */
export function givenUp({ said }: { readonly said: string | null }): string | undefined {
  const word = readSaid(said);
  return word && 'givenUp' in word ? word.givenUp : undefined;
}
