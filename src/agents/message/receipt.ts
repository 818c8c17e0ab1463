import type { AskState, MessageState } from '../../journal/rows/message.ts';

/** The stage that a message has reached, in one word. */
type Receipt = 'held' | 'queued' | 'delivered' | 'seen' | 'dead' | Exclude<AskState, 'open' | 'dead'>;

const REACHED = { held: 'held', pending: 'queued', handed: 'delivered', delivered: 'seen', dead: 'dead' } as const;

interface Reached {
  readonly state: MessageState;
  readonly ask: AskState | null;
  readonly via?: string | null;
}

/**
 * Handed over is delivered; found in the conversation, or read in the inbox, is seen. A question says how it ended. Of another farm it is
 * known that it took a message, and not who has read it there.
 */
export function receiptOf({ state, ask, via }: Reached): Receipt {
  if (ask !== null && ask !== 'open' && ask !== 'dead') return ask;
  return state === 'delivered' && via === 'farm' ? 'delivered' : REACHED[state];
}
