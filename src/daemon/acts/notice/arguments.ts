import type { Channel, Item } from '../../../tell/notice/rule.ts';
import type { Words } from '../../../tell/notice/words.ts';

/** One message to a person, by one channel. The address of a webhook is not in it: it may be a secret, and intents are kept. */
export interface NoticeArgs extends Words {
  readonly channel: Channel;
  /** The same each time that this message is sent. */
  readonly key: string;
  readonly farm: string;
  readonly items: readonly Item[];
}

export interface Noticed {
  /** Where it went, in words. */
  readonly to: string;
}
