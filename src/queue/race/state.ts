import type { Selectable } from 'kysely';
import type { EntrantRow, EntrantState, RaceOutcome, RaceRow } from '../../journal/rows/race.ts';

export type RaceStanding = Pick<Selectable<RaceRow>, 'state' | 'outcome'>;

export type RaceEvent =
  /** All results are in, and a judge is asked. */
  | { readonly on: 'judging' }
  /** The judge has named an entrant, or none. */
  | { readonly on: 'picked' }
  | { readonly on: 'ended'; readonly outcome: RaceOutcome };

/** The next standing of a race, or `undefined` when the event does not apply: a late answer of a judge changes nothing. */
export function stepRace({ state, outcome }: RaceStanding, event: RaceEvent): RaceStanding | undefined {
  if (state === 'ended') return undefined;
  switch (event.on) {
    case 'judging':
      return state === 'racing' ? { state: 'judging', outcome } : undefined;
    case 'picked':
      return state === 'judging' ? { state, outcome } : undefined;
    case 'ended':
      return { state: 'ended', outcome: event.outcome };
    default:
      return event satisfies never;
  }
}

export type EntrantEvent = { readonly on: 'finished' | 'merged' | 'passed' | 'failed' | 'dropped' | 'won' | 'lost' };

/** True for an entrant that the race still waits for. */
export const isUnderWay = ({ state }: Pick<Selectable<EntrantRow>, 'state'>) => state === 'running' || state === 'finished';

/** The next state of an entrant, or `undefined` when the event does not apply: an entrant that is out stays out. */
export function stepEntrant(from: EntrantState, { on }: EntrantEvent): EntrantState | undefined {
  const inRace = from === 'running' || from === 'finished' || from === 'green';
  switch (on) {
    case 'finished':
      return from === 'running' ? 'finished' : undefined;
    case 'merged':
      return from === 'finished' ? 'finished' : undefined;
    case 'passed':
      return from === 'finished' ? 'green' : undefined;
    case 'failed':
      return from === 'running' || from === 'finished' ? 'out' : undefined;
    case 'dropped':
      return inRace ? 'dropped' : undefined;
    case 'won':
      return from === 'green' ? 'won' : undefined;
    case 'lost':
      return inRace ? 'lost' : undefined;
    default:
      return on satisfies never;
  }
}
