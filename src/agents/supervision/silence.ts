import { SILENT_MS } from './derive.ts';
import { act, ask, type Due, later, NOTHING, sooner } from './intervention.ts';
import { looksSince, nudgesSince } from './record.ts';
import { awaitsReply, screenOf, type Watched } from './watched.ts';

/** opencode needs up to 50 s to come up on a slow machine. */
const START_MS = 120_000;
const LOOK_GAP_MS = 3_000;
/** Two equal looks make a screen count. */
const LOOKS = 2;
const NUDGE_MS = 120_000;
/** A screen that shows work, without any other signal, is believed for this many times the silence. */
export const BUSY_TIMES = 6;

const NOT_UP = 'it was started, but has not said that it is up';
const SILENT = 'nothing is heard from it, and it does not react';
const NUDGE =
  'Nothing has been heard from you for a while. If the task is done, commit and end your turn; if something holds you up, say so with: furrow blocked --reason "…".';

const look = act({ do: 'look' });

/** Nothing was heard since `from`: look twice, then a nudge, then a question. */
export function silence(agent: Watched, from: number, now: number): Due {
  const { state, since } = agent.state;
  if (state === 'idle' && awaitsReply(agent)) return NOTHING;
  const { lookedAt } = agent.record.interventions;
  const looks = looksSince(agent.record);
  const quiet = state === 'starting' ? Math.max(since, agent.record.signals.startedAt) + START_MS : from + agent.stuckMs;
  const again = looks > 0 ? (lookedAt ?? 0) + LOOK_GAP_MS : 0;
  if (now < quiet) return sooner(wasMissed(agent) ? later(Math.max(from + SILENT_MS, again), now, () => look) : NOTHING, quiet);
  if (looks < LOOKS || (lookedAt ?? 0) < quiet) return later(again, now, () => look);
  return screenOf(agent) === 'working' ? busy(agent, from, quiet, now) : unresponsive(agent, quiet, now);
}

/** Its screen shows work although nothing is heard from it: that is believed for a while. */
function busy(agent: Watched, from: number, quiet: number, now: number): Due {
  const long = from + BUSY_TIMES * agent.stuckMs;
  if (now >= long) return stuck(agent, now);
  const lookedAt = agent.record.interventions.lookedAt ?? quiet;
  return sooner(
    later(lookedAt + agent.stuckMs, now, () => look),
    long,
  );
}

function unresponsive(agent: Watched, quiet: number, now: number): Due {
  if (!mayType(agent)) return stuck(agent, now);
  if (nudgesSince(agent.record) === 0) return act({ do: 'nudge', text: NUDGE });
  return later((agent.record.interventions.nudgedAt ?? quiet) + NUDGE_MS, now, () => stuck(agent, now));
}

function stuck(agent: Watched, now: number): Due {
  const { state } = agent.state;
  return ask(agent, { condition: 'stuck', reason: state === 'starting' ? NOT_UP : SILENT, mayEnd: state !== 'unknown' }, now);
}

/** It may have reported while no daemon was there; only its screen can show that. */
function wasMissed({ state, listening, record }: Watched): boolean {
  return state.state !== 'starting' && record.signals.lastAt < listening && looksSince(record) < LOOKS;
}

function mayType(agent: Watched): boolean {
  const { state } = agent.state;
  if (agent.ends !== 'turn' || state === 'starting' || state === 'unknown') return false;
  const screen = screenOf(agent);
  return !agent.record.signals.screen?.draft && (screen === null || screen === 'idle' || screen === 'unknown');
}
