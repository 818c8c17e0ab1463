import type { ScreenReading } from '../agent/driver.ts';
import { backoffMs, resumeAt } from '../provider/limit.ts';
import { type Derived, SILENT_MS } from './derive.ts';

/** A running attempt as supervision sees it. The counts of looks and nudges start anew with each sign of life. */
export interface CaredAgent {
  readonly attempt: number;
  readonly agent: string;
  readonly provider: string | null;
  readonly ends: 'exit' | 'turn';
  readonly resumes: boolean;
  /** False: its driver has no signals, so that silence says nothing. */
  readonly speaks: boolean;
  readonly derived: Derived;
  readonly lastSignal: number;
  /** Since when it is listened to: what it said before, while no daemon was there, nobody heard. */
  readonly listened: number;
  readonly started: number;
  /** Of this attempt, the first one counted. */
  readonly launches: number;
  readonly looks: number;
  readonly lookedAt: number | null;
  /** The result of the last look at the screen. */
  readonly screen: ScreenReading['state'] | null;
  readonly draft: string | null;
  readonly nudges: number;
  readonly nudgedAt: number | null;
  /** The number of times it was told to go on after a failed turn, without a turn that ended well since. */
  readonly continues: number;
  readonly continuedAt: number | null;
  /** A question of `ask` is open; `askedFor` is its condition. */
  readonly asked: boolean;
  readonly askedFor: string | null;
  readonly askedAt: number | null;
  readonly paused: boolean;
  readonly humanAt: number | null;
  readonly turnOpen: boolean;
  /** Prompts of the agent that are open as questions of their own. */
  readonly requests: number;
  /** Asks of the agent to others that wait for a reply. */
  readonly openAsks: number;
  readonly exited: boolean;
  /** When its process was first seen to be gone. */
  readonly endedAt: number | null;
  readonly crashedQuick: boolean;
  /** Null: it died before it had a conversation. */
  readonly session: string | null;
}

export type CareAction = { readonly attempt: number } & (
  | { readonly do: 'look' }
  | { readonly do: 'nudge'; readonly text: string }
  /** `condition` is what to know it by; without an answer for `giveUpMs`, `give-up` follows; null: it waits. */
  | { readonly do: 'ask'; readonly condition: string; readonly reason: string; readonly giveUpMs: number | null }
  | { readonly do: 'relaunch'; readonly how: 'resume' | 'fresh'; readonly why: 'died' | 'closed' | 'context'; readonly notBefore: number }
  | { readonly do: 'continue'; readonly text: string }
  | { readonly do: 'give-up'; readonly reason: string }
);

/** An action to take now, or the time of the next decision. */
interface Thought {
  readonly action?: CareAction;
  readonly next?: number;
}

/** Builds and long thoughts are silent for minutes; only what is beyond them is worth a look. */
export const STUCK_MS = 600_000;
/** A person who typed this lately is still there. */
export const HUMAN_MS = 60_000;
/** opencode needs up to 50 s to come up on a slow machine. */
const START_MS = 120_000;
const LOOK_GAP_MS = 3_000;
/** Two equal looks make a screen count. */
const LOOKS = 2;
const NUDGE_MS = 120_000;
const ASK_MS = 3_600_000;
/** A screen that works without any signal is believed for this many times the silence. */
const BUSY_TIMES = 6;
const MAX_LAUNCHES = 4;
const RELAUNCH_MS = [0, 5_000, 20_000, 60_000];
const MAX_CONTINUES = { error: 3, other: 8 };

const NOTHING: Thought = {};

/** Decides the actions that running attempts need. Level-triggered: an action is given again until what it was for has changed. */
export function planCare(agents: readonly CaredAgent[], now: number, stuckMs = STUCK_MS): CareAction[] {
  return agents.flatMap((agent) => consider(agent, rank(agent, agents), now, stuckMs).action ?? []);
}

/** When `planCare` can give another answer by the passing of time alone. */
export function nextCare(agents: readonly CaredAgent[], now: number, stuckMs = STUCK_MS): number | undefined {
  const times = agents.flatMap((agent) => consider(agent, rank(agent, agents), now, stuckMs).next ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

function consider(agent: CaredAgent, place: number, now: number, stuckMs: number): Thought {
  const { state, detail, sure, text } = agent.derived;
  const alone = agent.humanAt === null ? 0 : agent.humanAt + HUMAN_MS;
  if (agent.paused) return NOTHING;
  if (now < alone) return { next: alone };
  if (state === 'unknown') return silence(agent, agent.lastSignal, now, stuckMs);
  if (state === 'dead' || (state === 'stopped' && sure)) return revive(agent, now);
  if (state === 'stopped') return later(agent.derived.since + START_MS, now, () => ask(agent, 'closing', CLOSING, now, true));
  if (detail === 'auth' || detail === 'login' || detail === 'trust')
    return ask(agent, detail, `${STANDS[detail]}${tail(text)}`, now, false);
  if (state === 'waiting') return sure || agent.requests > 0 ? NOTHING : ask(agent, 'dialog', `${DIALOG}${tail(text)}`, now, false);
  if (detail === 'context') return handOff(agent, now);
  if (detail === 'interrupted') {
    return later(agent.derived.since + stuckMs, now, () => ask(agent, 'interrupted', INTERRUPTED, now, false));
  }
  if (detail === 'error' || state === 'limited') return agent.turnOpen ? retries(agent, now, stuckMs) : goOn(agent, place, now);
  return silence(agent, agent.lastSignal, now, stuckMs);
}

const CLOSING = 'its conversation was closed, but its process lives on';
const DIALOG = 'its window waits for an answer that it told nobody of';
const INTERRUPTED = 'a person stopped its turn, and nothing has happened since: tell it how to go on, or stop it';
const STANDS = {
  auth: 'its login is refused by the provider',
  login: 'it stands at its login screen',
  trust: 'it stands at its question whether this folder is trusted',
};

/** A process that is gone. What ends by its exit, or cannot be gone on with, is judged by what it left, and not here. */
function revive(agent: CaredAgent, now: number): Thought {
  if (!agent.resumes || (agent.ends === 'exit' && agent.exited)) return NOTHING;
  if (agent.launches >= MAX_LAUNCHES) return act(agent, { do: 'give-up', reason: `its process ended ${agent.launches} times` });
  // One that died at once is given more time; when that was a resumed conversation, the conversation may be what kills it.
  const step = agent.launches - 1 + (agent.crashedQuick ? 1 : 0);
  const how = agent.session === null || (agent.crashedQuick && agent.launches > 1) ? 'fresh' : 'resume';
  const notBefore = (agent.endedAt ?? agent.derived.since) + RELAUNCH_MS[Math.max(0, Math.min(step, RELAUNCH_MS.length - 1))]!;
  const why = agent.derived.state === 'stopped' ? 'closed' : 'died';
  const again = act(agent, { do: 'relaunch', how, why, notBefore });
  return notBefore > now ? { ...again, next: notBefore } : again;
}

/** A fresh conversation on the same attempt. The old process lives, and ends for it: only on the agent's own word. */
function handOff(agent: CaredAgent, now: number): Thought {
  const full = 'its context is full';
  if (!agent.derived.sure) return ask(agent, 'context', full, now, false);
  if (agent.launches >= MAX_LAUNCHES)
    return ask(agent, 'context', `${full} for the ${agent.launches}th time: the task may be too large`, now, true);
  return act(agent, { do: 'relaunch', how: 'fresh', why: 'context', notBefore: agent.derived.since });
}

/** The turn is over for want of a model. It is told to go on when the limit has passed, one agent after the other. */
function goOn(agent: CaredAgent, place: number, now: number): Thought {
  const { detail, text, until } = agent.derived;
  const most = detail === 'error' ? MAX_CONTINUES.error : MAX_CONTINUES.other;
  if (agent.continues >= most) return ask(agent, 'model', `the model could not be asked ${agent.continues} times${tail(text)}`, now, true);
  const passed = until === null ? agent.lastSignal + backoffMs(agent.continues + 1) : resumeAt(place, until);
  const spaced = agent.continuedAt === null ? 0 : agent.continuedAt + backoffMs(agent.continues);
  const why = detail === 'error' ? 'The last request to the model failed' : 'The limit that stopped you has passed';
  const go = act(agent, { do: 'continue', text: `${why}. Go on with your task where you were.` });
  return later(Math.max(passed, spaced), now, () => go);
}

/** It tries again by itself. That is no silence before its own time for it has come; and not for ever. */
function retries(agent: CaredAgent, now: number, stuckMs: number): Thought {
  const { since, until, text } = agent.derived;
  const from = Math.max(agent.lastSignal, until ?? 0);
  const long = Math.max(since + BUSY_TIMES * stuckMs, until ?? 0);
  if (now >= long) return ask(agent, 'model', `it could not reach its model${tail(text)}`, now, true);
  return sooner(silence(agent, from, now, stuckMs), long);
}

/** Nothing heard: look twice, then a nudge, then a question. */
function silence(agent: CaredAgent, from: number, now: number, stuckMs: number): Thought {
  const { state } = agent.derived;
  if (!agent.speaks || (state === 'idle' && agent.openAsks > 0)) return NOTHING;
  const quiet = state === 'starting' ? Math.max(agent.derived.since, agent.started) + START_MS : from + stuckMs;
  const look = act(agent, { do: 'look' });
  const again = agent.looks > 0 ? (agent.lookedAt ?? 0) + LOOK_GAP_MS : 0;
  if (now < quiet) return sooner(missed(agent) ? later(Math.max(from + SILENT_MS, again), now, () => look) : NOTHING, quiet);
  if (agent.looks < LOOKS || (agent.lookedAt ?? 0) < quiet) return later(again, now, () => look);
  const stuck = () => ask(agent, 'stuck', state === 'starting' ? NOT_UP : SILENT, now, state !== 'unknown');
  if (agent.screen === 'working') {
    const long = from + BUSY_TIMES * stuckMs;
    return now >= long
      ? stuck()
      : sooner(
          later((agent.lookedAt ?? quiet) + stuckMs, now, () => look),
          long,
        );
  }
  if (!mayType(agent)) return stuck();
  if (agent.nudges === 0) return act(agent, { do: 'nudge', text: NUDGE });
  return later((agent.nudgedAt ?? quiet) + NUDGE_MS, now, stuck);
}

/** It may have spoken to a daemon that was away: that stands on its screen at best. */
const missed = ({ derived, lastSignal, listened, looks }: CaredAgent) =>
  derived.state !== 'starting' && lastSignal < listened && looks < LOOKS;

const NOT_UP = 'it was started, but has not said that it is up';
const SILENT = 'nothing is heard from it, and it does not react';

const NUDGE =
  'Nothing has been heard from you for a while. If the task is done, commit and end your turn; if something holds you up, say so with: furrow blocked --reason "…".';

function mayType({ ends, derived, draft, screen }: CaredAgent): boolean {
  if (ends !== 'turn' || derived.state === 'starting' || derived.state === 'unknown') return false;
  return !draft && (screen === null || screen === 'idle' || screen === 'unknown');
}

/** Once for each condition. A question that nobody answers ends the attempt only where that can be undone by another try. */
function ask(agent: CaredAgent, condition: string, reason: string, now: number, mayEnd: boolean): Thought {
  const gives = mayEnd && agent.derived.sure;
  const open = agent.asked && (agent.askedFor ?? condition) === condition;
  if (!open) return act(agent, { do: 'ask', condition, reason, giveUpMs: gives ? ASK_MS : null });
  if (!gives || agent.askedAt === null) return NOTHING;
  return later(agent.askedAt + ASK_MS, now, () => act(agent, { do: 'give-up', reason: `${reason}; nobody answered` }));
}

type Act = CareAction extends infer A ? (A extends CareAction ? Omit<A, 'attempt'> : never) : never;

const act = (agent: CaredAgent, what: Act): Thought => ({ action: { attempt: agent.attempt, ...what } as CareAction });
const later = (when: number, now: number, then: () => Thought): Thought => (now >= when ? then() : { next: when });
const sooner = (thought: Thought, when: number): Thought => ({ ...thought, next: Math.min(thought.next ?? when, when) });
const tail = (text: string | null): string => (text ? `: ${text}` : '');

/** Its place among those that wait for the same provider. */
function rank(agent: CaredAgent, agents: readonly CaredAgent[]): number {
  const same = agents.filter((other) => other.provider === agent.provider && other.derived.state === 'limited' && !other.turnOpen);
  return same.filter((other) => other.attempt < agent.attempt).length;
}
