import type { ScreenReading } from '../agent/driver.ts';
import { type AgentState, derive } from './derive.ts';
import type { ProcessLook } from './process.ts';
import type { Supervision } from './record.ts';

/** A running attempt with all that decides what is due for it. */
export interface Watched {
  readonly attempt: number;
  readonly provider: string | null;
  /** It met a limit of its account, and another account of its kind is free. */
  readonly elsewhere?: boolean;
  readonly ends: 'exit' | 'turn';
  /** After this much silence an agent of its kind counts as stuck. */
  readonly stuckMs: number;
  /** Starts of its process, the first one counted. */
  readonly launches: number;
  /** Paused or being stopped by a person. */
  readonly paused: boolean;
  /** When this daemon began to listen: nobody heard what the agent said while no daemon was there. */
  readonly listening: number;
  /** Kinds of the open questions to people that name it. */
  readonly questions: readonly string[];
  readonly record: Supervision;
  /** By `stateNow`; `until` in `awake` time. */
  readonly state: AgentState;
}

/** A process that died this soon after its start did not die of its work. */
export const QUICK_MS = 30_000;

/** A process that ended with a failed turn is shown by its failure, not by its end. */
export function stateNow(record: Supervision | undefined, process: ProcessLook, now: number): AgentState {
  return derive(record?.signals, record?.ended?.halted ? 'alive' : process, now);
}

/** The state as people are told it: an agent whose turn ended with a question of its own that is still open waits for the answer. */
export function stateForPeople(record: Supervision | undefined, state: AgentState): AgentState {
  const turn = record?.turn;
  if (state.state !== 'idle' || turn?.do !== 'wait' || turn.why !== 'ask') return state;
  return { ...state, state: 'waiting', detail: 'answer', since: turn.at };
}

/** A question about it is open, or was answered and the agent has said nothing new since. */
export function isAsked({ questions, record: { signals, interventions } }: Watched): boolean {
  return questions.includes('agent') || (interventions.askedAt !== null && signals.lastAt <= interventions.askedAt);
}

/** It waits for a reply of somebody else. */
export function awaitsReply({ questions, record: { turn } }: Watched): boolean {
  return questions.includes('ask') || turn?.do === 'wait';
}

/** It died before it did anything. A report of its end is no sign of life: claude also sends one when it did not find its conversation. */
export function diedAtOnce({ record: { signals, ended } }: Watched, now: number): boolean {
  const { own, turns, startedAt } = signals;
  return (ended?.at ?? now) - startedAt < QUICK_MS && turns === 0 && (own === undefined || own.state === 'stopped');
}

/** The result of the last look at its window. */
export function screenOf({ record: { signals } }: Watched): ScreenReading['state'] | null {
  const state = signals.screen?.state;
  return state === undefined || state === 'stopped' ? null : state;
}

/** Its place among those that wait for the same provider. */
export function placeInLine(agent: Watched, agents: readonly Watched[]): number {
  const waits = (other: Watched) =>
    other.provider === agent.provider && other.state.state === 'limited' && !other.record.signals.turnOpen && other.attempt < agent.attempt;
  return agents.filter(waits).length;
}
