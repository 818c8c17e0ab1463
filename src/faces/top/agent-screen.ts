import type { Client } from '../../api/client.ts';
import type { Item } from '../../api/contract.ts';
import type { TopDoor } from './command-line.ts';
import { type Line, span } from './line.ts';
import type { LiveScreen } from './live-screen.ts';

/**
 * The live screen of one agent, while somebody looks at it. It has a connection of its own, so that it can end without the others. The
 * terminal that reads what the agent writes is imported at the first look.
 */
export class Peek {
  readonly #door: Pick<TopDoor, 'connect'>;
  readonly #changed: () => void;
  #agent: string | undefined;
  #farm: Client | undefined;
  #screen: LiveScreen | undefined;
  #note = '';

  constructor(door: Pick<TopDoor, 'connect'>, changed: () => void) {
    this.#door = door;
    this.#changed = changed;
  }

  /** Looks at this agent and at no other; none: looks away. */
  show(agent: string | undefined): void {
    if (agent === this.#agent) return;
    this.#farm?.close();
    this.#farm = undefined;
    this.#screen = undefined;
    this.#agent = agent;
    this.#note = 'asking for its screen …';
    if (agent !== undefined) void this.#look(agent).catch((error: unknown) => this.#say(agent, reason(error)));
  }

  /** The screen as it is now. */
  shown(): Peeked | undefined {
    if (this.#agent === undefined) return undefined;
    const rows = this.#screen?.rows() ?? [[span('')]];
    return { agent: this.#agent, rows, note: this.#note };
  }

  async #look(agent: string): Promise<void> {
    const { LiveScreen } = await import('./live-screen.ts');
    const farm = await this.#door.connect(() => this.#say(agent, 'the daemon is gone; waiting for it'));
    if (this.#agent !== agent) return farm.close();
    this.#farm = farm;
    const screen = new LiveScreen(this.#changed);
    this.#screen = screen;
    await farm.stream('screen', { agent, lines: 0 }, (item: Item<'screen'>) => {
      screen.take(item);
      this.#say(agent, LIVE);
    });
    this.#say(agent, 'its window is gone');
  }

  #say(agent: string, note: string): void {
    if (this.#agent !== agent || this.#note === note) return;
    this.#note = note;
    this.#changed();
  }
}

const LIVE = 'live; a attaches, Esc closes';

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The live screen of an agent, as far as it is known. */
export interface Peeked {
  readonly agent: string;
  readonly rows: readonly Line[];
  /** In the edge of its frame: how fresh it is, or why there is none. */
  readonly note: string;
}
