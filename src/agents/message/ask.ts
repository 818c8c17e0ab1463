import type { AskState } from '../../journal/rows/message.ts';

/** The standing of a question between agents. It has exactly one end. */
export type AskEvent =
  | { readonly on: 'answered' | 'declined' }
  /** Its deadline has passed. */
  | { readonly on: 'expired' }
  /** The attempt that had it ended without a word about it. */
  | { readonly on: 'unanswered' }
  /** The attempt that asked has ended: nobody waits for the answer. */
  | { readonly on: 'withdrawn' }
  /** It never reached its receiver. */
  | { readonly on: 'dead' };

export const stepAsk = (from: AskState | null, event: AskEvent): AskState | undefined => (from === 'open' ? event.on : undefined);

/** The deadline of an agent's question that names none: two agents that ask each other must not wait for ever. */
export const ASK_MS = 10 * 60_000;

/** The same for a question of a person to an agent of another farm, which may stop and forget it. */
export const FAR_ASK_MS = 24 * 3_600_000;

/** An open question, as far as its end is decided by others than its receiver. */
export interface OpenAsk {
  readonly id: number;
  readonly receiver: string;
  /** Id of the attempt that has read it; null: none has. */
  readonly readBy: number | null;
  /** Id of the attempt that asks; null: a person. */
  readonly askedBy: number | null;
  readonly deadline: number | null;
}

interface AskEnd {
  readonly ask: number;
  readonly event: AskEvent;
  readonly reason: string;
}

/** Open questions that nobody will answer any more, or whose answer nobody waits for. `running`: ids of attempts that have not ended. */
export function planAsks(asks: readonly OpenAsk[], running: ReadonlySet<number>, now: number): AskEnd[] {
  return asks.flatMap(({ id: ask, receiver, readBy, askedBy, deadline }): AskEnd[] => {
    if (askedBy !== null && !running.has(askedBy))
      return [{ ask, event: { on: 'withdrawn' }, reason: 'the attempt that asked it has ended' }];
    if (deadline !== null && now >= deadline) return [{ ask, event: { on: 'expired' }, reason: 'its deadline has passed' }];
    if (readBy !== null && !running.has(readBy))
      return [{ ask, event: { on: 'unanswered' }, reason: `${receiver} ended its attempt without an answer` }];
    return [];
  });
}

/** When `planAsks` can next change its mind by the passing of time alone. */
export function nextDeadline(open: readonly { readonly deadline: number | null }[]): number | undefined {
  const times = open.flatMap(({ deadline }) => (deadline === null ? [] : [deadline]));
  return times.length > 0 ? Math.min(...times) : undefined;
}
