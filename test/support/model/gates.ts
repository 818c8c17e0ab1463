import { EventEmitter, once } from 'node:events';

/** Where answers wait until the test lets them go: "in the middle of a turn" without a sleep. */
export class Gates {
  readonly #news = new EventEmitter().setMaxListeners(0);
  readonly #came = new Map<string, number>();
  readonly #open = new Set<string>();

  /** Waits at the gate; ends at once when it is open, or when the client has gone. */
  async pass(name: string, gone: AbortSignal): Promise<void> {
    if (this.#open.has(name) || gone.aborted) return;
    this.#came.set(name, this.#arrivals(name) + 1);
    this.#news.emit(`held ${name}`);
    // A client that has gone no longer wants its answer.
    await once(this.#news, `open ${name}`, { signal: gone }).catch(() => undefined);
  }

  /**
   * Resolves as soon as so many requests have come to the gate. A count, because when a client was killed nobody can tell
   * at once that the request which still stands there is a dead one's.
   */
  async held(name: string, times: number): Promise<void> {
    while (this.#arrivals(name) < times) await once(this.#news, `held ${name}`);
  }

  /** Lets all through that wait, and all that come later. */
  release(name: string): void {
    this.#open.add(name);
    this.#news.emit(`open ${name}`);
  }

  #arrivals(name: string): number {
    return this.#came.get(name) ?? 0;
  }
}
