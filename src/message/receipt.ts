import type { AskState, MessageState } from '../journal/rows/message.ts';

/** The stage that a message has reached, in one word. */
export type Receipt = 'held' | 'queued' | 'delivered' | 'seen' | 'dead' | Exclude<AskState, 'open' | 'dead'>;

const REACHED = { held: 'held', pending: 'queued', handed: 'delivered', delivered: 'seen', dead: 'dead' } as const;

/** Handed over is delivered; found in the conversation, or read in the inbox, is seen. A question says how it ended. */
export function receiptOf({ state, ask }: { readonly state: MessageState; readonly ask: AskState | null }): Receipt {
  return ask === null || ask === 'open' || ask === 'dead' ? REACHED[state] : ask;
}
