import type { Selectable } from 'kysely';
import type { AttemptRow } from '../../journal/rows/attempt.ts';

/** The state of an attempt; `launch` counts the starts of its process. */
export type AttemptStanding = Pick<Selectable<AttemptRow>, 'state' | 'launch'>;

export type AttemptEvent =
  /** Its process runs. */
  | { readonly on: 'started' }
  /** Its process is started once more, for the `launch`-th time. */
  | { readonly on: 'relaunched'; readonly launch: number }
  | { readonly on: 'ended' };

/** The next standing, or `undefined` when the event does not apply: an ended attempt stays ended, whatever comes late. */
export function step({ state, launch }: AttemptStanding, event: AttemptEvent): AttemptStanding | undefined {
  switch (event.on) {
    case 'started':
      return state === 'starting' ? { state: 'running', launch } : undefined;
    case 'relaunched':
      return state === 'running' && event.launch === launch + 1 ? { state: 'starting', launch: event.launch } : undefined;
    case 'ended':
      return state === 'ended' ? undefined : { state: 'ended', launch };
    default:
      return event satisfies never;
  }
}
