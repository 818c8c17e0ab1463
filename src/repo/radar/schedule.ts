/** The time of the last look at an agent's worktree, and whether something happened there since. Plain data. */
interface Glance {
  readonly touchedAt: number | undefined;
  readonly lookedAt: number | undefined;
  /** The shortest pause in milliseconds after the last look. */
  readonly gapMs: number;
}

export type Glances = ReadonlyMap<string, Glance>;

const GAP_MS = 5_000;
/** The longest pause. An agent that only thinks still redraws its screen, so the pause grows with each look that finds nothing. */
const IDLE_GAP_MS = 30_000;
/** A look at 50,000 files takes 200 ms; at most 2 % of a core may go to one agent. */
const COST = 50;

/** Looks that come due within this time are made together: with 100 printing agents each would cost the loop a turn of its own. */
const TOGETHER_MS = 1_000;

const NEVER: Glance = { touchedAt: undefined, lookedAt: undefined, gapMs: GAP_MS };

/**
 * Notes that something happened in an agent's worktree. `output` in its terminal may mean nothing; a `deed` (a call to furrow, its branch
 * moved, its attempt began or ended) deserves a look as soon as the pause is over.
 */
export function touched(glances: Glances, agent: string, at: number, by: 'output' | 'deed'): Glances {
  const glance = glances.get(agent) ?? NEVER;
  const gapMs = by === 'deed' ? Math.min(glance.gapMs, GAP_MS) : glance.gapMs;
  return new Map(glances).set(agent, { ...glance, touchedAt: at, gapMs });
}

/**
 * Notes an agent that has just begun. Its worktree was filled a moment ago, so its first look waits like any other: at once it would find
 * nothing, read all files again, and be a third of the gits of 20 agents that start.
 */
export function begun(glances: Glances, agent: string, at: number): Glances {
  return new Map(glances).set(agent, { touchedAt: at, lookedAt: at, gapMs: GAP_MS });
}

interface Looked {
  /** The time when the look began: later events are not in it. */
  readonly at: number;
  readonly ms: number;
  /** `torn`: the agent was writing, so another look is needed. */
  readonly found: 'change' | 'nothing' | 'torn';
}

export function looked(glances: Glances, agent: string, { at, ms, found }: Looked): Glances {
  const glance = glances.get(agent) ?? NEVER;
  const later = glance.touchedAt !== undefined && glance.touchedAt > at ? glance.touchedAt : undefined;
  const touchedAt = found === 'torn' ? (later ?? at) : later;
  const usual = found === 'nothing' ? Math.min(glance.gapMs * 2, IDLE_GAP_MS) : GAP_MS;
  return new Map(glances).set(agent, { touchedAt, lookedAt: at, gapMs: Math.max(usual, ms * COST) });
}

/** Forgets an agent that has no worktree any more. */
export function gone(glances: Glances, agent: string): Glances {
  const rest = new Map(glances);
  rest.delete(agent);
  return rest;
}

/** The agents to look at now, the longest unseen first, and the time of the next look; `undefined`: after the next event. */
export function due(glances: Glances, now: number): { agents: string[]; next: number | undefined } {
  const open = [...glances].filter(([, { touchedAt }]) => touchedAt !== undefined);
  const times = open.map(([agent, { lookedAt, gapMs }]) => ({
    agent,
    at: lookedAt === undefined ? Number.NEGATIVE_INFINITY : lookedAt + gapMs,
  }));
  times.sort((a, b) => a.at - b.at || (a.agent < b.agent ? -1 : 1));
  const agents = times.filter(({ at }) => at <= now).map(({ agent }) => agent);
  const next = times.find(({ at }) => at > now)?.at;
  return { agents, next: next === undefined ? undefined : Math.max(next, now + TOGETHER_MS) };
}
