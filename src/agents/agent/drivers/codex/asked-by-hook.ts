import type { Link } from '../../driver.ts';
import { HOOKED_ITEMS } from './hooks.ts';
import type { Item, Thread } from './protocol.ts';
import { listedHook } from './trust.ts';
import type { Wire } from './wire.ts';

const UNASKED = 'codex does not run the hook that asks before an edit: what it must not change is found at the end of its turn';

/** Records whether codex asks by its hook before it uses a tool. If so, its connection does not report the same again. */
export class Asking {
  readonly #link: Link;
  #asks: boolean | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Looked up in each conversation that furrow joins; reported once when codex does not ask. */
  async look(wire: Wire, { id }: Thread): Promise<void> {
    const { hook } = this.#link.request;
    if (hook.url === '') return;
    const listed = await listedHook(wire, { threadId: id }, hook);
    const asks = listed?.enabled === true && (listed.trustStatus === 'trusted' || listed.trustStatus === 'managed');
    if (!asks && this.#asks !== false) await this.#link.tell(UNASKED);
    this.#asks = asks;
  }

  hasAskedFor(item: Item): boolean {
    return this.#asks === true && HOOKED_ITEMS.has(item.type);
  }
}
