import type { Failure, Hurdle } from './script.ts';

/** What fails, and how often it already has. The only memory the server has beside its record. */
export class Troubles {
  readonly #spent = new Map<string, number>();
  /** Where the script says so, the one conversation that became too long there. */
  readonly #overflowed = new Map<string, string>();
  readonly #keys = new Map<string, { failure: Failure; left: number }>();

  /** The next `times` requests with this key fail, whatever they ask. */
  ofKey(key: string, failure: Failure, times = Number.POSITIVE_INFINITY): void {
    this.#keys.set(key, { failure, left: times });
  }

  mend(key: string): void {
    this.#keys.delete(key);
  }

  /** Why a request with this key fails, counted as one of its failures. */
  spendKey(key: string): Failure | undefined {
    const trouble = this.#keys.get(key);
    if (!trouble || trouble.left <= 0) return undefined;
    trouble.left--;
    return trouble.failure;
  }

  /** A conversation that is too long stays so, also for a client that asks for a summary of it. */
  isFull(conversation: string): boolean {
    return this.#overflowed.values().some((full) => full === conversation);
  }

  /** Whether this hurdle still stops a request; if so, it has stopped one more. `where` names it among all scripts. */
  stops(hurdle: Extract<Hurdle, { is: 'error' | 'overflow' }>, where: string, conversation: string): boolean {
    if (hurdle.is === 'overflow' && hurdle.times === undefined) {
      if (!this.#overflowed.has(where)) this.#overflowed.set(where, conversation);
      return this.isFull(conversation);
    }
    const spent = this.#spent.get(where) ?? 0;
    if (spent >= hurdle.times!) return false;
    this.#spent.set(where, spent + 1);
    return true;
  }
}
