import type { ScreenReading } from '../../../src/agents/agent/driver.ts';
import type { AgentState } from '../../../src/agents/supervision/derive.ts';
import { emptySupervision, type Interventions } from '../../../src/agents/supervision/record.ts';
import type { Signals } from '../../../src/agents/supervision/signals.ts';
import type { Watched } from '../../../src/agents/supervision/watched.ts';

/** What a test says of a running attempt; the rest is that of an agent in the middle of its second turn. */
export interface Seen
  extends Partial<Omit<Watched, 'record' | 'state' | 'stuckMs'> & Omit<Interventions, 'reminders'> & Pick<Signals, 'turnOpen' | 'turns'>> {
  readonly lastSignal?: number;
  readonly started?: number;
  readonly screen?: ScreenReading['state'] | null;
  readonly draft?: string | null;
  readonly humanAt?: number | null;
  /** How many of its requests are open. */
  readonly requests?: number;
  /** Its turn ended, and it waits. */
  readonly waits?: boolean;
  readonly endedAt?: number | null;
  readonly session?: string | null;
}

export const STUCK_MS = 600_000;
const working: AgentState = { state: 'working', detail: null, text: null, since: 0, until: null, sure: true };
const WAITS = { do: 'wait', why: 'ask', at: 0, last: '' } as const;

/** A running attempt of which this much is known. */
export function watched(seen: Seen, state: Partial<AgentState>): Watched {
  const { attempt = 7, provider = 'anthropic', ends = 'turn', launches = 1, paused = false, listening = 0, questions = [] } = seen;
  const { elsewhere = false } = seen;
  const { signals, interventions: none } = emptySupervision(0);
  const { looks = 0, lookedAt = null, nudges = 0, nudgedAt = null, continues = 0, continuedAt = null } = seen;
  const { askedFor = null, askedAt = null, endedAt = null, waits = false } = seen;
  return {
    ...{ attempt, provider, elsewhere, ends, launches, paused, listening, questions, stuckMs: STUCK_MS },
    record: {
      signals: { ...signals, ...heard(seen) },
      turn: waits ? WAITS : null,
      ended: endedAt === null ? null : { at: endedAt, halted: false },
      interventions: { ...none, looks, lookedAt, nudges, nudgedAt, continues, continuedAt, askedFor, askedAt },
    },
    state: { ...working, ...state },
  };
}

function heard(seen: Seen): Partial<Signals> {
  const { lastSignal = 0, started = 0, turnOpen = true, turns = 1, screen = null, draft = null, humanAt = null, requests = 0 } = seen;
  const open = { request: 'r', detail: 'permission', use: '', text: '', at: 0 } as const;
  const { session = 's' } = seen;
  return {
    ...{ startedAt: started, lastAt: lastSignal, turnOpen, turns, open: Array.from({ length: requests }, () => open) },
    ...((screen !== null || draft !== null) && { screen: screenOf(screen, draft) }),
    ...(humanAt !== null && { humanAt }),
    ...(session !== null && { session }),
  };
}

const screenOf = (state: ScreenReading['state'] | null, draft: string | null) => ({
  ...{ state: state ?? ('unknown' as const), draft },
  ...{ detail: null, text: null, since: 0, at: 0, until: null },
});
