import { backoff } from '../../../platform/backoff.ts';

/** One stretch of time in which a provider refuses to serve: for all agents that share it, not for the one that met it first. */
export interface ProviderLimit {
  readonly provider: string;
  /** The first and the last agent that met it. */
  readonly since: number;
  readonly at: number;
  readonly until: number;
  /** The provider named the time; otherwise it is our back-off. */
  readonly stated: boolean;
  /** The number of such stretches that came one soon after the other. */
  readonly times: number;
  readonly text: string;
}

export type ProviderEvent =
  /** An agent was refused; `until`: null when the provider names no time. */
  | { readonly on: 'refused'; readonly provider: string; readonly until: number | null; readonly text: string; readonly at: number }
  /** An agent that was refused is served again. */
  | { readonly on: 'served'; readonly at: number };

const MINUTE = 60_000;
const MAX_BACKOFF_MS = 30 * MINUTE;
/** Weekly limits exist; a time beyond one is a misread date. */
const FARTHEST_MS = 8 * 24 * 60 * MINUTE;
/** Clocks differ, and the first second after a reset is the fullest one. */
const MARGIN_MS = 5_000;
const STAGGER_MS = 3_000;

/** 1, 2, 4 … 30 minutes. */
export function backoffMs(times: number): number {
  return backoff(times, MINUTE, MAX_BACKOFF_MS);
}

/** The provider's limit after an event, or `undefined` when the event does not apply. */
export function step(before: ProviderLimit | undefined, event: ProviderEvent): ProviderLimit | undefined {
  switch (event.on) {
    case 'refused': {
      const { at, until } = event;
      const named = until !== null && until > at && until - at <= FARTHEST_MS ? until : undefined;
      // Twenty agents meet one limit within seconds of each other; an agent that is refused after its end met another limit.
      return before && at <= before.until ? joined(before, event, named) : fresh(before, event, named);
    }
    case 'served':
      // A time that the provider named holds, even if an agent was served meanwhile.
      return before && !before.stated && before.until > event.at ? { ...before, until: event.at } : undefined;
    default:
      return event satisfies never;
  }
}

/** True while the provider must not be asked. */
export function holds(limit: ProviderLimit | undefined, now: number): limit is ProviderLimit {
  return limit !== undefined && limit.until > now;
}

/** The time at which the n-th of the agents that wait for one reset goes on: all at once would meet the limit again. */
export function resumeAt(agentIndex: number, until: number): number {
  return until + MARGIN_MS + agentIndex * STAGGER_MS;
}

type Refused = Extract<ProviderEvent, { on: 'refused' }>;

function joined(before: ProviderLimit, refused: Refused, named: number | undefined): ProviderLimit {
  const at = Math.max(before.at, refused.at);
  if (named === undefined) return { ...before, at };
  return { ...before, at, until: before.stated ? Math.max(before.until, named) : named, stated: true, text: refused.text };
}

function fresh(before: ProviderLimit | undefined, { provider, at, text }: Refused, named: number | undefined): ProviderLimit {
  const times = before && at <= before.until + MAX_BACKOFF_MS ? before.times + 1 : 1;
  return { provider, since: at, at, until: named ?? at + backoffMs(times), stated: named !== undefined, times, text };
}
