import type { Generated } from 'kysely';

/** An item that a person is told, and one more row for each channel that tells it. */
export interface NoticeRow {
  id: Generated<number>;
  item: string;
  /** Empty: the item itself. */
  channel: string;
  /** `owed` for an item; `begun`, `told` or `failed` for a message. */
  state: string;
  /** For an item its kind; else the key of the message that carries it. */
  key: string;
  subject: string;
  text: string;
  at: number;
}
