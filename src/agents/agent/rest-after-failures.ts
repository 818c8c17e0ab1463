import { backoff } from '../../platform/backoff.ts';

/** The end of one start of an agent: `ok` when the agent came up and worked, however the attempt ended. */
export interface EndedStart {
  readonly at: number;
  readonly ok: boolean;
  readonly agent: string;
}

export interface Breaker {
  readonly farm: { readonly open: boolean; readonly until: number | null; readonly reason: string | null };
  readonly agents: Map<string, { until: number; reason: string }>;
}

const MINUTE = 60_000;
const IN_A_ROW = 5;
const WITHIN_MS = 10 * MINUTE;
const LONGEST_REST_MS = 30 * MINUTE;
/** Three failing agents are no coincidence: the machine, the network or the repository is the cause. */
const AGENTS_TOGETHER = 3;
const FARM_ENDS = 12;
const FARM_BAD = 10;
const FARM_REST_MS = 10 * MINUTE;

/** The agents that must rest because every start fails. The same history gives the same answer after a restart. */
export function breaker(history: readonly EndedStart[], now: number): Breaker {
  if (history.every(({ ok }) => ok)) return { farm: { open: false, until: null, reason: null }, agents: new Map() };
  const ends = history.filter((end) => end.at <= now).sort((a, b) => a.at - b.at);
  const agents = new Map<string, { until: number; reason: string }>();
  for (const [agent, own] of Map.groupBy(ends, (end) => end.agent)) {
    const rest = restOf(own);
    if (rest !== undefined && rest.until > now) agents.set(agent, rest);
  }
  return { farm: farmRest(ends, agents, now), agents };
}

/** After a rest one start is tried; when it fails as well, the rest is twice as long. */
function restOf(ends: readonly EndedStart[]): { until: number; reason: string } | undefined {
  let bad: number[] = [];
  let rests = 0;
  let until = 0;
  for (const { at, ok } of ends) {
    const calm = rests > 0 && at > until + LONGEST_REST_MS;
    if (ok || calm) [bad, rests, until] = [[], 0, 0];
    if (ok) continue;
    bad.push(at);
    const tripped = bad.length >= IN_A_ROW && at - bad.at(-IN_A_ROW)! <= WITHIN_MS;
    // An attempt that fails during the rest was started before it.
    if (at < until || !(rests > 0 || tripped)) continue;
    rests += 1;
    until = at + backoff(rests, MINUTE, LONGEST_REST_MS);
  }
  return rests > 0 ? { until, reason: `it failed ${bad.length} times in a row` } : undefined;
}

function farmRest(ends: readonly EndedStart[], resting: Map<string, { until: number }>, now: number): Breaker['farm'] {
  const untils = [...resting.values()].map((rest) => rest.until).sort((a, b) => b - a);
  const third = untils[AGENTS_TOGETHER - 1];
  if (third !== undefined) return { open: true, until: third, reason: `${untils.length} agents fail again and again at the same time` };
  const last = ends.slice(-FARM_ENDS);
  const bad = last.filter((end) => !end.ok);
  const until = (last.at(-1)?.at ?? 0) + FARM_REST_MS;
  if (bad.length < FARM_BAD || new Set(bad.map((end) => end.agent)).size < AGENTS_TOGETHER || until <= now) {
    return { open: false, until: null, reason: null };
  }
  return { open: true, until, reason: `${bad.length} of the last ${last.length} starts of agents failed` };
}
