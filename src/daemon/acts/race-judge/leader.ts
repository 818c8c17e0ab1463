import { FurrowError } from '../../../platform/error.ts';
import { advanceRace, findRace } from '../../../queue/race/store.ts';
import type { Grounds, LeaderHalf } from '../../leader/act-half.ts';
import { assertTrusted } from '../../leader/trust.ts';

/** Stores the choice of the judge command of a race. */
export function raceJudge(farm: Grounds): LeaderHalf<'race.judge'> {
  return {
    async begin(tx, { race }) {
      assertTrusted(farm);
      const row = await findRace(tx, race);
      if (row?.state !== 'judging' || row.picked !== null) throw new FurrowError('STALE', `race ${race} needs no judge any more`);
    },

    async finish(tx, { race }, { winner, why }, now) {
      await advanceRace(tx, race, { on: 'picked' }, now, { picked: winner ?? 0, why });
    },
  };
}
