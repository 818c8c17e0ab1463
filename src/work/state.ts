import type { WorkRow } from '../journal/schema.ts';

/** The state of the work on a phase. `at` is the time of its newest order; it tells one order from the next. */
export type WorkStanding = Pick<WorkRow, 'state' | 'at'>;

export type WorkEvent =
  /** A person stops all work. */
  | { readonly on: 'stop' }
  /** The person takes the stop back before it has ended everything. */
  | { readonly on: 'resumed' }
  /** No task can move on, or the stop is done; `seen` is the standing on which that was decided. */
  | { readonly on: 'ended'; readonly seen: WorkStanding }
  /** The repository was copied: the work goes on in the original. */
  | { readonly on: 'left' };

/** The next standing, or `undefined` when the event does not apply: an end that was decided before a newer order changes nothing. */
export function step({ state, at }: WorkStanding, event: WorkEvent): WorkStanding | undefined {
  switch (event.on) {
    case 'stop':
      return state === 'active' ? { state: 'stopping', at } : undefined;
    case 'resumed':
      return state === 'stopping' ? { state: 'active', at } : undefined;
    case 'ended':
      return state !== 'ended' && state === event.seen.state && at === event.seen.at ? { state: 'ended', at } : undefined;
    case 'left':
      return state === 'ended' ? undefined : { state: 'ended', at };
    default:
      return event satisfies never;
  }
}
