import { act, ask, type Due, later, NOTHING, sooner, tail } from './intervention.ts';
import { backoffMs, resumeAt } from './provider/state.ts';
import { BUSY_TIMES, silence } from './silence.ts';
import { diedAtOnce, placeInLine, type Watched } from './watched.ts';

/** A person who typed within this time is still there. */
export const HUMAN_MS = 60_000;
/** A process that announced its end has this long to end. */
const CLOSE_MS = 120_000;
/** It retries by itself for so long before another account of its kind has its turn. */
const RETRIES_MS = 60_000;
const MAX_LAUNCHES = 4;
const RELAUNCH_MS = [0, 5_000, 20_000, 60_000];
const MAX_CONTINUES = { error: 3, other: 8 };

/** Decides what is due for each running attempt, in their order. Level-triggered: an action is given again until what it was for has changed. */
export function planInterventions(agents: readonly Watched[], now: number): Due[] {
  return agents.map((agent) => dueFor(agent, placeInLine(agent, agents), now));
}

function dueFor(agent: Watched, place: number, now: number): Due {
  const { state, detail, sure, since } = agent.state;
  const { humanAt = null, turnOpen } = agent.record.signals;
  const alone = humanAt === null ? 0 : humanAt + HUMAN_MS;
  if (agent.paused) return NOTHING;
  if (now < alone) return { next: alone };
  if (state === 'unknown') return silence(agent, agent.record.signals.lastAt, now);
  if (state === 'dead' || (state === 'stopped' && sure)) return revive(agent, now);
  if (state === 'stopped') return later(since + CLOSE_MS, now, () => ask(agent, CLOSING, now));
  if (state === 'waiting' || detail === 'auth' || detail === 'login' || detail === 'trust') return atDialog(agent, now);
  if (detail === 'context') return handOff(agent, now);
  if (detail === 'interrupted') return later(since + agent.stuckMs, now, () => ask(agent, INTERRUPTED, now));
  if (detail === 'error' || state === 'limited') return turnOpen ? retries(agent, now) : goOn(agent, place, now);
  return silence(agent, agent.record.signals.lastAt, now);
}

const CLOSING = { condition: 'closing', reason: 'its conversation was closed, but its process lives on', mayEnd: true };
const INTERRUPTED = {
  condition: 'interrupted',
  reason: 'a person stopped its turn, and nothing has happened since: tell it how to go on, or stop it',
  mayEnd: false,
};
const DIALOG = 'its window shows a prompt that furrow was not told about';
const STANDS = {
  auth: 'the provider refused its login',
  login: 'it is at its login screen',
  trust: 'it asks whether this folder is trusted',
};

/** It waits for a person. What it reported is already a question of its own. */
function atDialog(agent: Watched, now: number): Due {
  const { detail, sure, text } = agent.state;
  if (detail === 'auth' || detail === 'login' || detail === 'trust')
    return ask(agent, { condition: detail, reason: `${STANDS[detail]}${tail(text)}`, mayEnd: false }, now);
  if (sure || agent.record.signals.open.length > 0) return NOTHING;
  return ask(agent, { condition: 'dialog', reason: `${DIALOG}${tail(text)}`, mayEnd: false }, now);
}

/** A process that was killed. One that ended by itself is judged by what it left, and not here. */
function revive(agent: Watched, now: number): Due {
  const { launches, record, state } = agent;
  if (launches >= MAX_LAUNCHES) return act({ do: 'give-up', reason: `its process ended ${launches} times` });
  // One that died at once is given more time; when that was a resumed conversation, the conversation may be what kills it.
  const quick = diedAtOnce(agent, now);
  const wait = RELAUNCH_MS[Math.max(0, Math.min(launches - 1 + (quick ? 1 : 0), RELAUNCH_MS.length - 1))]!;
  const how = record.signals.session === undefined || (quick && launches > 1) ? 'fresh' : 'resume';
  const notBefore = (record.ended?.at ?? state.since) + wait;
  const again = act({ do: 'relaunch', how, why: state.state === 'stopped' ? 'closed' : 'died', notBefore });
  return notBefore > now ? { ...again, next: notBefore } : again;
}

/** A fresh conversation on the same attempt. The old process lives, and ends for it: only on the agent's own word. */
function handOff(agent: Watched, now: number): Due {
  const full = 'its context is full';
  if (!agent.state.sure) return ask(agent, { condition: 'context', reason: full, mayEnd: false }, now);
  if (agent.launches < MAX_LAUNCHES) return act({ do: 'relaunch', how: 'fresh', why: 'context', notBefore: agent.state.since });
  const reason = `${full} for the ${agent.launches}th time: the task may be too large`;
  return ask(agent, { condition: 'context', reason, mayEnd: true }, now);
}

/**
 * The turn is over because the model could not be asked. The agent is told to go on when the limit has passed, one agent after the other.
 */
function goOn(agent: Watched, place: number, now: number): Due {
  const { detail, text, until, since } = agent.state;
  // An overload is that of every account.
  if (detail === 'limit' && hasAnother(agent)) return act({ do: 'relaunch', how: 'fresh', why: 'account', notBefore: since });
  const { continues, continuedAt } = agent.record.interventions;
  const most = detail === 'error' ? MAX_CONTINUES.error : MAX_CONTINUES.other;
  const vain = `${continues} requests to its model failed${tail(text)}`;
  if (continues >= most) return ask(agent, { condition: 'model', reason: vain, mayEnd: true }, now);
  const passed = until === null ? agent.record.signals.lastAt + backoffMs(continues + 1) : resumeAt(place, until);
  const spaced = continuedAt === null ? 0 : continuedAt + backoffMs(continues);
  const why = detail === 'error' ? 'The last request to the model failed' : 'The limit that stopped you has passed';
  return later(Math.max(passed, spaced), now, () => act({ do: 'continue', text: `${why}. Go on with your task where you were.` }));
}

/** It is moved to another account on its own word only: what a screen shows may be an old line. */
const hasAnother = ({ elsewhere, launches, state }: Watched): boolean => elsewhere === true && state.sure && launches < MAX_LAUNCHES;

/** The agent retries by itself. Until the time that it named this does not count as silence; after a limit a person is asked. */
function retries(agent: Watched, now: number): Due {
  const { state, since, until, text } = agent.state;
  const from = Math.max(agent.record.signals.lastAt, until ?? 0);
  const long = Math.max(since + BUSY_TIMES * agent.stuckMs, until ?? 0);
  // Codex obeys a provider that says "in an hour", and says nothing meanwhile.
  if (state === 'limited' && hasAnother(agent))
    return later(since + RETRIES_MS, now, () => act({ do: 'relaunch', how: 'fresh', why: 'account', notBefore: since }));
  const vain = { condition: 'model', reason: `it could not reach its model${tail(text)}`, mayEnd: true };
  return now >= long ? ask(agent, vain, now) : sooner(silence(agent, from, now), long);
}
