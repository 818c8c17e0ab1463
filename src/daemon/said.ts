/** The word of an agent that ends its attempt: done, blocked, or that no change is needed; and when it came, in `awake` time. */
export type Said = ({ readonly done: string } | { readonly blocked: string } | { readonly unchanged: string }) & { readonly at: number };

/** Undefined also for what cannot be read: one bad row must not keep its attempt, or the others, from being ended. */
export function readSaid(stored: string | null): Said | undefined {
  try {
    return stored === null ? undefined : (JSON.parse(stored) as Said);
  } catch {
    return undefined;
  }
}
