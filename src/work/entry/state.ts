import type { EntryState } from '../../journal/rows/entry.ts';

/**
 * An event in the life of an entry. `picked`, `suspected`, `held` and `released` move it inside the queue; the others end it. An entry can
 * be rejected only after `suspected`: red once is never enough. `refused` is a person's no.
 */
export type EntryEvent =
  | { on: 'picked' }
  | { on: 'suspected' }
  | { on: 'held' }
  | { on: 'released' }
  | { on: 'landed' }
  | { on: 'conflicted' }
  | { on: 'rejected' }
  | { on: 'refused' }
  | { on: 'cancelled' };

const ENDS: ReadonlySet<EntryState> = new Set<EntryState>(['conflict', 'rejected', 'landed', 'cancelled']);

/** True if the queue has finished with it. An entry ends exactly once; the same work again is a new entry. */
export function ended(state: EntryState): boolean {
  return ENDS.has(state);
}

/** The next state, or `undefined` when the event does not apply: a late or repeated event changes nothing. */
export function step(from: EntryState, event: EntryEvent): EntryState | undefined {
  if (ended(from)) return undefined;
  switch (event.on) {
    case 'picked':
      return from === 'checking' ? undefined : 'checking';
    case 'suspected':
      return from === 'quarantined' ? undefined : 'quarantined';
    case 'held':
      return from === 'held' ? undefined : 'held';
    case 'released':
      return from === 'queued' ? undefined : 'queued';
    case 'landed':
      return 'landed';
    case 'conflicted':
      return 'conflict';
    case 'rejected':
      return from === 'quarantined' ? 'rejected' : undefined;
    case 'refused':
      return 'rejected';
    case 'cancelled':
      return 'cancelled';
    default:
      return event satisfies never;
  }
}

/** The event that brings an entry to a state inside the queue; it carries out the `states` of a plan. */
export function towards(state: EntryState): EntryEvent {
  switch (state) {
    case 'queued':
      return { on: 'released' };
    case 'checking':
      return { on: 'picked' };
    case 'held':
      return { on: 'held' };
    case 'quarantined':
      return { on: 'suspected' };
    case 'conflict':
      return { on: 'conflicted' };
    case 'rejected':
    case 'landed':
    case 'cancelled':
      return { on: state };
    default:
      return state satisfies never;
  }
}
