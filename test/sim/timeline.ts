/** Events in the order of their time; of one time, first come first served. */
export class Timeline<E> {
  readonly #events: { at: number; event: E }[] = [];

  add(at: number, event: E): void {
    const before = this.#events.findLastIndex((other) => other.at <= at);
    this.#events.splice(before + 1, 0, { at, event });
  }

  get next(): number {
    return this.#events[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  take(): E | undefined {
    return this.#events.shift()?.event;
  }
}
