import type { AgentRow } from '../../journal/rows/agent.ts';

/** An agent as one of the farm: free, at work on an attempt, being stopped, or stopped. */
export type AgentStanding = Pick<AgentRow, 'state' | 'attempt'>;

export type AgentStep =
  /** An attempt begins, with this agent. */
  | { readonly on: 'taken'; readonly attempt: number }
  /** The process of the attempt runs. */
  | { readonly on: 'started'; readonly attempt: number }
  /** The attempt has ended, however it ended. */
  | { readonly on: 'freed'; readonly attempt: number }
  /** A person stops it. */
  | { readonly on: 'stop' }
  /** `furrow work` wants it at work. */
  | { readonly on: 'wanted' }
  /** A person lets it go on after a pause; an agent that was stopped is free again, too. */
  | { readonly on: 'resumed' }
  /** There is no work for it any more: the phase has settled, or has more agents than asked for. */
  | { readonly on: 'dismissed' };

/** The next standing, or `undefined` when the event does not apply: a late or foreign event changes nothing. */
export function step({ state, attempt }: AgentStanding, event: AgentStep): AgentStanding | undefined {
  switch (event.on) {
    case 'taken':
      return state === 'idle' && attempt === null ? { state: 'starting', attempt: event.attempt } : undefined;
    case 'started':
      return state === 'starting' && attempt === event.attempt ? { state: 'working', attempt } : undefined;
    case 'freed':
      return attempt === event.attempt ? { state: state === 'stopping' ? 'stopped' : 'idle', attempt: null } : undefined;
    case 'stop':
      return state === 'stopped' ? undefined : { state: attempt === null ? 'stopped' : 'stopping', attempt };
    case 'wanted':
      if (state === 'stopped') return { state: 'idle', attempt };
      // The stop has not ended its attempt yet: the agent goes on, or is free for the next task once the attempt has ended.
      return state === 'stopping' ? { state: 'working', attempt } : undefined;
    case 'resumed':
      return state === 'stopped' ? { state: 'idle', attempt } : undefined;
    case 'dismissed':
      return attempt === null && state !== 'stopped' ? { state: 'stopped', attempt } : undefined;
    default:
      return event satisfies never;
  }
}
