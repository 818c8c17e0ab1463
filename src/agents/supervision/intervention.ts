import { isAsked, type Watched } from './watched.ts';

export type Intervention =
  | { readonly do: 'look' }
  | { readonly do: 'nudge'; readonly text: string }
  /** `condition` is what to know it by; without an answer for `giveUpMs`, `give-up` follows; null: it waits. */
  | { readonly do: 'ask'; readonly condition: string; readonly reason: string; readonly giveUpMs: number | null }
  | {
      readonly do: 'relaunch';
      readonly how: 'resume' | 'fresh';
      readonly why: 'died' | 'closed' | 'context' | 'account';
      readonly notBefore: number;
    }
  | { readonly do: 'continue'; readonly text: string }
  | { readonly do: 'give-up'; readonly reason: string };

/** The intervention that is due now, and when another answer can follow by the passing of time alone. */
export interface Due {
  readonly action?: Intervention;
  readonly next?: number;
}

const ASK_MS = 3_600_000;

export const NOTHING: Due = {};
export const act = (action: Intervention): Due => ({ action });
export const later = (when: number, now: number, then: () => Due): Due => (now >= when ? then() : { next: when });
export const sooner = (due: Due, when: number): Due => ({ ...due, next: Math.min(due.next ?? when, when) });
export const tail = (text: string | null): string => (text ? `: ${text}` : '');

interface Condition {
  /** The name of the condition: it is asked about once. */
  readonly condition: string;
  readonly reason: string;
  /** Another try can undo the end of the attempt: it ends when nobody answers. */
  readonly mayEnd: boolean;
}

/** Asks a person, once for each condition. A question that nobody answers ends the attempt only where that can be undone by another try. */
export function ask(agent: Watched, { condition, reason, mayEnd }: Condition, now: number): Due {
  const { askedFor, askedAt } = agent.record.interventions;
  const gives = mayEnd && agent.state.sure;
  const open = isAsked(agent) && (askedFor ?? condition) === condition;
  if (!open) return act({ do: 'ask', condition, reason, giveUpMs: gives ? ASK_MS : null });
  if (!gives || askedAt === null) return NOTHING;
  return later(askedAt + ASK_MS, now, () => act({ do: 'give-up', reason: `${reason}; nobody answered` }));
}
