import { emptySignals, type Signals } from './signals.ts';
import type { TurnDecision } from './turn-end.ts';

/**
 * All that the store knows of the agent of one running attempt: facts that were heard, seen or done. Nothing in it follows
 * from the rest: `derive` says what the agent is doing, and `due` what is to be done for it.
 */
export interface Supervision {
  /** Said by the agent, or seen in its window. */
  readonly signals: Signals;
  /** The decision at the end of its last turn; null while the next one runs. */
  readonly turn: TurnEnd | null;
  /** The end of its process; null while it runs, or runs again. */
  readonly ended: ProcessEnd | null;
  /** Done by furrow so far. */
  readonly interventions: Interventions;
}

/** The decision holds until the next turn begins. `last` are the agent's last words in the turn. */
export type TurnEnd = TurnDecision & { readonly at: number; readonly last: string };

interface ProcessEnd {
  /** When it was first seen to be gone. */
  readonly at: number;
  /** It ended with a turn that failed: the failure is handled, and then the process is started again. */
  readonly halted: boolean;
}

export interface Interventions {
  readonly reminders: number;
  readonly looks: number;
  readonly lookedAt: number | null;
  readonly nudges: number;
  readonly nudgedAt: number | null;
  /** The number of times it was told to go on after a failed turn, without a turn that ended well since. */
  readonly continues: number;
  readonly continuedAt: number | null;
  /** The condition that a person was last asked about. */
  readonly askedFor: string | null;
  readonly askedAt: number | null;
}

export const NO_INTERVENTIONS: Interventions = {
  reminders: 0,
  looks: 0,
  lookedAt: null,
  nudges: 0,
  nudgedAt: null,
  continues: 0,
  continuedAt: null,
  askedFor: null,
  askedAt: null,
};

/** The record of an attempt whose process was just started. */
export function emptySupervision(at: number): Supervision {
  return { signals: emptySignals(at), turn: null, ended: null, interventions: NO_INTERVENTIONS };
}

/** Looks since the last sign of life: each one makes the count start anew. */
export function looksSince({ signals, interventions: { looks, lookedAt } }: Supervision): number {
  return lookedAt !== null && signals.lastAt > lookedAt ? 0 : looks;
}

/** Nudges since the last sign of life. */
export function nudgesSince({ signals, interventions: { nudges, nudgedAt } }: Supervision): number {
  return nudgedAt !== null && signals.lastAt > nudgedAt ? 0 : nudges;
}

/** The last turn is judged and no other follows: the process may live on, but nothing more is expected of it. */
export const isOver = ({ turn }: Pick<Supervision, 'turn'>): boolean => turn !== null && turn.do !== 'go-on' && turn.do !== 'wait';
