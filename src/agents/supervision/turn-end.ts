export interface TurnFacts {
  /** The missing part of the evidence, as a sentence without its full stop; null: complete. */
  readonly missing: string | null;
  readonly said: 'done' | 'blocked' | 'unchanged' | null;
  /** The number of reminders in this attempt. */
  readonly reminders: number;
  /** Pending for this agent, in order. */
  readonly messages: readonly { readonly stamp: string; readonly text: string }[];
  readonly openAsks: number;
  /** Leases that it is in line for, and jobs that it sent and that have not ended: it is told of each end by a message. */
  readonly awaited: number;
  /** Answers and results that others wait for, and that it can still be reminded of; a sentence each, without its full stop. */
  readonly owed: readonly string[];
  readonly paused: boolean;
  readonly overBudget: string | null;
  readonly humanTyping: boolean;
  /** Its last words in this turn. */
  readonly last: string;
}

export type TurnDecision =
  | { readonly do: 'end' }
  | { readonly do: 'go-on'; readonly text: string; readonly why: 'message' | 'reminder' | 'owed' }
  | { readonly do: 'wait'; readonly why: 'ask' | 'paused' | 'human' }
  | { readonly do: 'question'; readonly reason: string }
  | { readonly do: 'budget'; readonly reason: string };

/** An agent that was told three times what is missing cannot mend it; a person may. */
export const MAX_REMINDERS = 3;
const LAST_LENGTH = 300;

/**
 * Decides what follows the end of a turn. Nothing that costs another turn happens to a paused agent or over the budget; work that
 * is complete is taken even then. Messages come before the end of the attempt, and so does what others wait for: an inbox must be
 * empty, and every question answered or declined, before done is done.
 */
export function atTurnEnd(facts: TurnFacts): TurnDecision {
  if (facts.paused) return { do: 'wait', why: 'paused' };
  if (facts.messages.length > 0 && facts.overBudget === null) return { do: 'go-on', why: 'message', text: messages(facts) };
  if (facts.humanTyping) return { do: 'wait', why: 'human' };
  if (facts.owed.length > 0 && facts.overBudget === null) return { do: 'go-on', why: 'owed', text: owed(facts) };
  if (facts.said === 'blocked' || facts.said === 'unchanged') return { do: 'end' };
  if (facts.openAsks > 0) return { do: 'wait', why: 'ask' };
  if (facts.missing === null) return { do: 'end' };
  if (facts.awaited > 0 && facts.said === null) return { do: 'wait', why: 'ask' };
  if (facts.overBudget !== null) return { do: 'budget', reason: facts.overBudget };
  if (facts.reminders >= MAX_REMINDERS) return { do: 'question', reason: helpless(facts.missing, facts) };
  return { do: 'go-on', why: 'reminder', text: reminder(facts.missing, facts.reminders) };
}

/**
 * Decides whether a running turn is ended because the budget is used up, whenever the agent reports what it has used. An agent whose work
 * is complete may be about to hand it in, so it has one more report of the same turn. `before`: how many reports of this turn were over the
 * budget already.
 */
export function withinTurn(facts: Pick<TurnFacts, 'missing' | 'said' | 'overBudget'>, before: number): TurnDecision | undefined {
  if (facts.overBudget === null || facts.said !== null) return undefined;
  if (facts.missing === null && before === 0) return undefined;
  return { do: 'budget', reason: facts.overBudget };
}

/** Each with its stamp, by which its receipt is recognised. */
function messages(facts: TurnFacts): string {
  return facts.messages.map(({ stamp, text }) => (text.includes(stamp) ? text : `${stamp} ${text}`)).join('\n\n');
}

function owed(facts: TurnFacts): string {
  const missing = facts.missing === null ? [] : [`Also, ${bare(facts.missing)}.`];
  return ['You ended your turn, but others wait for you:', ...facts.owed.map((one) => `- ${one}.`), ...missing].join('\n');
}

function reminder(missing: string, before: number): string {
  const last = before + 1 === MAX_REMINDERS ? ' This is the last reminder.' : '';
  return `You ended your turn, but ${bare(missing)}. Put that right, then end your turn. If no change is needed, say why with: furrow done --no-change --reason "…"; if you cannot go on, with: furrow blocked --reason "…".${last}`;
}

function helpless(missing: string, { reminders, last }: TurnFacts): string {
  const words = last.trim().replace(/\s+/g, ' ').slice(0, LAST_LENGTH);
  return `it was reminded ${reminders} times and ended its turn again, but ${bare(missing)}${words ? `; its last words: ${words}` : ''}`;
}

const bare = (sentence: string): string => sentence.trim().replace(/\.+$/, '');
