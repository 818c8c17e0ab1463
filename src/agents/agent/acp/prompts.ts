/** A text for the agent; `id` names one that came by mail or beside the answer to an event. */
export interface Text {
  readonly text: string;
  readonly id?: string;
}

/** The texts that wait for the next prompt. */
export class Prompts {
  #texts: Text[] = [];
  #come = Promise.withResolvers<void>();

  put(text: Text): void {
    this.#texts.push(text);
    this.#come.resolve();
  }

  /** They come first, as soon as another one comes. */
  putBack(texts: readonly Text[]): void {
    this.#texts.unshift(...texts);
  }

  get waiting(): boolean {
    return this.#texts.length > 0;
  }

  /** All that wait, as soon as one does. */
  async all(): Promise<Text[]> {
    if (!this.waiting) await this.next();
    return this.#texts.splice(0);
  }

  /** Resolves with the next one that comes: what waits already is not enough. */
  async next(): Promise<void> {
    this.#come = Promise.withResolvers<void>();
    await this.#come.promise;
  }
}
