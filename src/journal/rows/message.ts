import type { Generated } from 'kysely';

/** `held`: a person is asked whether it may go. */
export type MessageState = 'held' | 'pending' | 'handed' | 'delivered' | 'dead';
export type MessageKind = 'notify' | 'ask' | 'reply' | 'job';
export type AskState = 'open' | 'answered' | 'declined' | 'expired' | 'unanswered' | 'withdrawn' | 'dead';

/** A text for an agent or a person. Its stamp, `[furrow m<id>]`, proves its arrival. */
export interface MessageRow {
  id: Generated<number>;
  sender: string;
  /** An agent's name, or `human`; of another farm `repo:agent`. */
  receiver: string;
  kind: MessageKind;
  body: string;
  state: MessageState;
  /** The way it was handed over: `hook`, `channel`, `keys`, `inbox`, `farm`. */
  via: string | null;
  /** Id of the attempt it was handed to. */
  attempt: number | null;
  tries: Generated<number>;
  at: number;
  handed_at: number | null;
  ended: number | null;
  reason: string | null;
  /** Id of the first message of the conversation, or of those that were sent to a group together; null: it is the first. */
  thread: number | null;
  /** Id of the message that this one answers. */
  answers: number | null;
  /** The number of answers to answers that led to it. */
  hops: Generated<number>;
  /** Id of the attempt that sent it; null: a person, or furrow. */
  asked_by: number | null;
  /** The group that it was addressed to, such as `@all`. */
  addressed: string | null;
  /** Chosen by the sender's program: the same message sent again is not sent twice. */
  send_key: string | null;
  /** Of a question to an agent: where it stands. */
  ask: AskState | null;
  /** The time after which a question counts as unanswered. */
  deadline: number | null;
  /** When its question was closed. */
  closed: number | null;
  /** For messages that an agent sends on its own: a hash of the body, which finds the same words sent to many. */
  words: string | null;
  /** For a message between two farms: the key that both farms know it by. */
  far: string | null;
  /** The number of reminders that its receiver got. */
  reminded: Generated<number>;
}
