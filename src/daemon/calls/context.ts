import type { PageDoor } from '../../api/page/door.ts';
import type { Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import { splitRef } from '../../work/task/id.ts';
import { readTask, type Task, taskIn, tasksNamed } from '../../work/task/store.ts';
import type { Farm } from '../farm/farm.ts';
import type { Feed } from '../farm/feed.ts';
import type { Performer } from '../farm/performer.ts';
import type { Orders } from '../leader/orders.ts';
import type { LoopState } from '../leader/state.ts';
import type { Hosts } from '../roster/hosts.ts';
import type { Machine } from './machine.ts';
import type { Carrier } from './other-farms/carry.ts';

/** The loop's memory as calls see it. */
export type Shown = Readonly<Omit<LoopState, 'queue'>> & { readonly queue: Readonly<LoopState['queue']> };

/** The context of clients' calls. */
export interface Desk {
  readonly farm: Farm;
  /** The process of the daemon; null: there is none, and a command looks by itself. */
  readonly pid: number | null;
  /** For answers that need this machine. */
  readonly machine: Machine;
  readonly feed: Feed;
  /** The loop's memory, to be read. What a call wants of the loop it asks for by `orders`. */
  readonly state: Shown;
  readonly orders: Orders;
  readonly perform: Performer;
  /** Carries messages to other farms. */
  readonly carrier: Carrier;
  /** Requests of agents that wait for a person. */
  readonly requests: { answer(question: number, text: string): Promise<boolean> };
  /** Resolves when the loop has looked at everything once more: what was just written is then acted on. */
  looked(): Promise<void>;
  /** The same, the board's files included: an answer about tasks counts what was saved a moment ago. */
  readBoard(): Promise<void>;
  /**
   * Reads the inputs and the board's files, and takes over what they say; the tick that acts on it comes later. For a change of the board.
   * `files`: only these, by their paths below the board, are sure to be read.
   */
  readTasks(files?: readonly string[]): Promise<void>;
  /** The same, and the target is where the user has it: a look at everything only if that has moved. */
  readTasksAndTarget(): Promise<void>;
  /** Every call with its admission checks, for calls that are made of other calls. */
  handlers(): Handlers;
  /** The machines that joined the farm. */
  readonly hosts: Hosts;
  /** The page's door. */
  readonly page: PageDoor;
  /** Aborted when the daemon ends: calls that wait for the loop get no answer. */
  readonly ending: AbortSignal;
  /** Ends the daemon after the answer is sent; `all`: with its terminals. */
  quit(how: 'all' | 'alone'): void;
}

export const iso = (at: number) => new Date(at).toISOString();

/** The task a person means: `phase/id`, or an id that only one phase has. */
export async function findTask(farm: Farm, name: string): Promise<Task> {
  if (name.includes('/')) {
    // By its present phase first: a task that was moved keeps its old ref.
    const { phase, id } = splitRef(name);
    const there = await taskIn(farm.db, phase, id);
    return there ?? readTask(farm.db, name);
  }
  const found = await tasksNamed(farm.db, name);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new FurrowError('NO_TASK', `there is no task ${name}`, { hint: 'furrow list' });
  throw new FurrowError('WHICH_TASK', `several phases have a task ${name}`, { hint: `say ${found.map((task) => task.ref).join(' or ')}` });
}
