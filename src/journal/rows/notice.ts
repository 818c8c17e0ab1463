import type { Generated } from 'kysely';

/** An item that a person is told of, and one row more for each channel that tells it. */
export interface NoticeRow {
  id: Generated<number>;
  item: string;
  /** Empty: the item itself. */
  channel: string;
  /** `owed` of an item; of a message `begun`, `told` or `failed`. */
  state: string;
  /** Of an item its kind; else the key of the message that carries it. */
  key: string;
  subject: string;
  text: string;
  at: number;
}
