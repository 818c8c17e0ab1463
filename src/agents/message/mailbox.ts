import type { Db } from '../../journal/store.ts';
import { findMessage, firstOpen, type Message, pendingFor } from './read.ts';
import type { Way } from './state.ts';
import { markDead, markDelivered, markHanded, markReturned } from './store.ts';

/** Messages as those who deliver them see them. Each change is stored when it resolves. */
export interface Mailbox {
  /** The first message to each agent, or to each of these, that is on its way. */
  first(agents?: readonly string[]): Promise<readonly Message[]>;
  /** All that are on their way to an agent, in the order they were sent. */
  onWay(agent: string): Promise<readonly Message[]>;
  find(id: number): Promise<Message | undefined>;
  /** It is about to be handed over. False: it may not be any more. */
  handed(id: number, via: Way, attempt: number): Promise<boolean>;
  /** Those of these, by stamp or id, that have now arrived in the conversation of an attempt, as ids. */
  delivered(which: readonly (string | number)[], attempt: number): Promise<readonly number[]>;
  /** A try did not arrive: it waits again. */
  returned(id: number, which: number): Promise<boolean>;
  /** It can never arrive. */
  dead(id: number, reason: string): Promise<boolean>;
}

export const mailbox = (db: Db, now: () => number): Mailbox => ({
  first: (agents) => firstOpen(db, agents),
  onWay: (agent) => pendingFor(db, [agent]),
  find: (id) => findMessage(db, id),
  handed: (id, via, attempt) => db.transaction().execute((tx) => markHanded(tx, id, via, attempt, now())),
  delivered: (which, attempt) => db.transaction().execute((tx) => markDelivered(tx, which, attempt, now())),
  returned: (id, which) => db.transaction().execute((tx) => markReturned(tx, id, which, now())),
  dead: (id, reason) => db.transaction().execute((tx) => markDead(tx, id, reason, now())),
});
