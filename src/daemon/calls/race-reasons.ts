import { type Entrant, entrantsOf, lastRaceOf } from '../../queue/race/store.ts';
import type { Reason } from '../../work/task/explain.ts';
import { splitRef } from '../../work/task/id.ts';
import type { Farm } from '../farm/farm.ts';

const DOING: Record<Entrant['state'], string> = {
  running: 'is at work',
  finished: 'has finished, and is checked',
  green: 'passes',
  out: 'is out',
  dropped: 'was dropped',
  won: 'won',
  lost: 'lost',
};

/** The standing of the race for a task: one reason for each entrant. `reasons`: why errands wait, by their refs. None when it is not raced. */
export async function raceReasons({ db }: Farm, task: string, reasons: ReadonlyMap<string, readonly Reason[]>): Promise<Reason[]> {
  const race = await lastRaceOf(db, task);
  if (!race || race.state === 'ended') return [];
  const entrants = await entrantsOf(db, race.id);
  const judged = race.judge === null ? [] : [{ code: 'judging', text: 'a judge chooses among the results that pass', refs: [] }];
  return [
    { code: 'race', text: `${entrants.length} agents race for it; furrow race ${splitRef(task).id} shows what each costs`, refs: [] },
    ...entrants.map((one) => ({ code: 'entrant', text: `entrant ${one.n} ${doing(one, reasons.get(one.ref) ?? [])}`, refs: [one.ref] })),
    ...judged,
  ];
}

function doing({ state, reason }: Entrant, waits: readonly Reason[]): string {
  if (state === 'running' && waits.length > 0) return `waits: ${waits.map((one) => one.text).join('; ')}`;
  return `${DOING[state]}${reason === null ? '' : `: ${reason.split('\n')[0]}`}`;
}
