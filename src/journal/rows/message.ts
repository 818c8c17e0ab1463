import type { Generated } from 'kysely';

export type MessageState = 'pending' | 'handed' | 'delivered' | 'dead';

/** A text for an agent. Its mark, `[furrow m<id>]`, is how its arrival is recognised. */
export interface MessageRow {
  id: Generated<number>;
  sender: string;
  /** An agent's name. */
  receiver: string;
  kind: 'notify' | 'ask' | 'reply';
  body: string;
  state: MessageState;
  /** The way it was handed over: `hook`, `channel`, `keys`, `inbox`. */
  via: string | null;
  /** Id of the attempt it was handed to. */
  attempt: number | null;
  tries: Generated<number>;
  at: number;
  handed_at: number | null;
  ended: number | null;
  reason: string | null;
}
