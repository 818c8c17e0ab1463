import { drawChange, drawWhole, type Frame } from './frame.ts';

/** One piece of a live screen. */
export type ScreenItem =
  | { readonly size: { readonly cols: number; readonly rows: number } }
  | { readonly reset: string }
  | { readonly data: string };

/** Somebody who looks at a screen. */
export interface Viewing {
  /** Lines of its past in each reset. */
  readonly lines: number;
  readonly item: (item: ScreenItem) => void;
  /** Resolves when they have read most of what was sent. */
  readonly drained?: (() => Promise<void>) | undefined;
}

/** A viewer and the frame that they see. A slow viewer gets fewer frames, and nothing waits for them in memory. */
export class Watcher {
  readonly viewing: Viewing;
  #seen: Frame | undefined;
  #newest: Frame | undefined;
  #reading = false;

  constructor(viewing: Viewing) {
    this.viewing = viewing;
  }

  show(frame: Frame): void {
    this.#newest = frame;
    if (!this.#reading) void this.#send();
  }

  async #send(): Promise<void> {
    this.#reading = true;
    while (this.#newest && this.#newest !== this.#seen) {
      this.#draw(this.#newest);
      await this.viewing.drained?.();
    }
    this.#reading = false;
  }

  #draw(frame: Frame): void {
    const { item, lines } = this.viewing;
    const seen = this.#seen;
    this.#seen = frame;
    const data = seen && drawChange(seen, frame);
    if (data !== undefined) return void item({ data });
    if (seen?.cols !== frame.cols || seen.rows !== frame.rows) item({ size: { cols: frame.cols, rows: frame.rows } });
    item({ reset: drawWhole(frame, lines) });
  }
}
