import type { Outcome } from '../../journal/rows/attempt.ts';
import { backoff } from '../../platform/backoff.ts';

export const LONGEST_BACKOFF_MS = 60_000;

/** The pause of a task after its n-th crash: none, then 1, 2, 4 … 60 s. */
function crashBackoffMs(crashes: number): number {
  return crashes <= 1 ? 0 : backoff(crashes - 1, 1000, LONGEST_BACKOFF_MS);
}

/** After more crashes in a row than this, a task is parked with a question. */
const MAX_CRASHES = 10;

interface Counters {
  readonly failures: number;
  readonly crashes: number;
}

/** The consequences of an attempt's end for its task. */
export interface Consequences {
  readonly event: 'submitted' | 'answered' | 'unchanged' | 'failed' | 'crashed' | 'stopped' | 'blocked' | 'parked';
  readonly failures: number;
  readonly crashes: number;
  readonly notBefore: number;
  /** Set when a person is needed. */
  readonly question: string | undefined;
}

/** `attempts` bounds an agent's own failures; crashes caused from outside are counted apart. */
export function afterAttempt(outcome: Outcome, reason: string, before: Counters, attempts: number, now: number): Consequences {
  const same = { ...before, notBefore: 0, question: undefined };
  switch (outcome) {
    case 'submitted':
      return { ...same, event: 'submitted', crashes: 0 };
    case 'answered':
      return { ...same, event: 'answered', crashes: 0 };
    case 'unchanged':
      return { ...same, event: 'unchanged', failures: 0, crashes: 0 };
    case 'stopped':
      return { ...same, event: 'stopped' };
    case 'blocked':
      return { ...same, event: 'blocked', question: reason };
    case 'crashed': {
      const crashes = before.crashes + 1;
      if (crashes >= MAX_CRASHES)
        return { ...same, event: 'parked', crashes, question: `it crashed ${crashes} times in a row, the last time: ${reason}` };
      return { ...same, event: 'crashed', crashes, notBefore: now + crashBackoffMs(crashes) };
    }
    case 'failed':
    case 'timeout':
      return failure(reason, before, attempts);
    default:
      return outcome satisfies never;
  }
}

/** Conflicts and red checks count against the same bound. */
export function failure(reason: string, before: Counters, attempts: number): Consequences {
  const failures = before.failures + 1;
  const event = failures >= attempts ? 'parked' : 'failed';
  const question =
    event === 'parked' ? `${failures} ${failures === 1 ? 'attempt' : 'attempts'} failed, the last one: ${reason}` : undefined;
  return { event, failures, crashes: 0, notBefore: 0, question };
}
