import { backoff } from '../platform/backoff.ts';

/** One stretch of time in which a provider refuses to serve: for all agents that share it, not for the one that met it first. */
export interface ProviderLimit {
  readonly provider: string;
  /** The first and the last agent that met it. */
  readonly since: number;
  readonly at: number;
  readonly until: number;
  /** The provider named the time; otherwise it is our back-off. */
  readonly stated: boolean;
  /** The number of such periods in a row, each soon after the one before. */
  readonly times: number;
  readonly text: string;
}

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

/** Updates the known limits after another agent met one. */
export function noteLimit(
  known: readonly ProviderLimit[],
  met: { readonly provider: string; readonly until: number | null; readonly at: number; readonly text: string },
): ProviderLimit[] {
  const before = known.find((limit) => limit.provider === met.provider);
  const named = met.until !== null && met.until > met.at && met.until - met.at <= FARTHEST_MS ? met.until : undefined;
  const rest = known.filter((limit) => limit.provider !== met.provider);
  return [
    ...rest,
    // Twenty agents that run into one limit do so within seconds of each other; who meets one after its end met another.
    before && met.at <= before.until ? joined(before, met, named) : fresh(before, met, named),
  ];
}

/** Updates the known limits after the provider has served an agent that it had refused: a limit without a named time is over. */
export function served(known: readonly ProviderLimit[], provider: string, at: number): ProviderLimit[] {
  return known.map((limit) => (limit.provider === provider && !limit.stated && limit.until > at ? { ...limit, until: at } : limit));
}

/** The providers that must not be asked now, and until when. */
export function limitedProviders(known: readonly ProviderLimit[], now: number): Map<string, { until: number; text: string }> {
  return new Map(known.filter((limit) => limit.until > now).map(({ provider, until, text }) => [provider, { until, text }]));
}

/** When the n-th of the agents that wait for the same reset goes on: all at once would be the next limit. */
export function resumeAt(agentIndex: number, until: number): number {
  return until + MARGIN_MS + agentIndex * STAGGER_MS;
}

interface Met {
  readonly provider: string;
  readonly at: number;
  readonly text: string;
}

function joined(before: ProviderLimit, met: Met, named: number | undefined): ProviderLimit {
  const at = Math.max(before.at, met.at);
  if (named === undefined) return { ...before, at };
  return { ...before, at, until: before.stated ? Math.max(before.until, named) : named, stated: true, text: met.text };
}

function fresh(before: ProviderLimit | undefined, { provider, at, text }: Met, named: number | undefined): ProviderLimit {
  const times = before && at <= before.until + MAX_BACKOFF_MS ? before.times + 1 : 1;
  return { provider, since: at, at, until: named ?? at + backoffMs(times), stated: named !== undefined, times, text };
}
