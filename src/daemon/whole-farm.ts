import type { Farm } from './farm/farm.ts';
import type { Host } from './host/host.ts';

/** Leader and host on one machine: the wiring of a daemon has both the store and the processes, and gives each side its own. */
export interface WholeFarm extends Farm, Host {}
