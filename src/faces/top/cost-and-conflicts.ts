import type { Client } from '../../api/client.ts';
import type { Layout } from './layout.ts';
import type { Model } from './model.ts';
import type { State } from './state.ts';

type Extra = Partial<Pick<Model, 'cost' | 'conflicts'>>;

/** Each question reads all attempts or all work in hand, so it is not asked more often than this. */
const APART_MS = 3000;

/** Asks for what the view lacks: costs when they changed, and conflicts only while a person looks at them. */
export class Extras {
  readonly #tell: (change: Extra) => void;
  readonly #cost = new Asked();
  readonly #conflicts = new Asked();
  #farm: Client | undefined;

  constructor(tell: (change: Extra) => void) {
    this.#tell = tell;
  }

  use(farm: Client): void {
    this.#farm = farm;
    for (const asked of [this.#cost, this.#conflicts]) asked.forget();
  }

  look({ known, line }: Model, { focus, corner }: State, { places }: Layout): void {
    const farm = this.#farm;
    if (!known || !farm || line === 'lost') return;
    const { status, seq } = known.view;
    this.#cost.ask(JSON.stringify(status.cost), async () => this.#tell({ cost: await farm.call('cost', {}) }));
    // The picture of before may lack the panel that has just been chosen.
    if (focus !== 'conflicts' && corner !== 'conflicts' && !places.some(({ id }) => id === 'conflicts')) return;
    this.#conflicts.ask(String(seq), async () => this.#tell({ conflicts: await farm.call('conflicts', {}) }));
  }

  close(): void {
    this.#farm = undefined;
    for (const asked of [this.#cost, this.#conflicts]) asked.forget();
  }
}

/** One question to the farm: asked again when what it depends on has changed, one at a time and not too often. */
class Asked {
  #for: string | undefined;
  #wanted: string | undefined;
  #busy = false;
  #timer: NodeJS.Timeout | undefined;

  ask(key: string, get: () => Promise<void>): void {
    this.#wanted = key;
    if (this.#busy || this.#for === key) return;
    this.#busy = true;
    this.#for = key;
    const again = () => {
      this.#busy = false;
      if (this.#wanted !== undefined && this.#wanted !== this.#for) this.ask(this.#wanted, get);
    };
    void get()
      .catch(() => {})
      .finally(() => {
        this.#timer = setTimeout(again, APART_MS);
        this.#timer.unref();
      });
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#busy = false;
    this.#for = undefined;
    this.#wanted = undefined;
  }
}
