import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { isOnPath } from '../../src/platform/on-path.ts';
import { LEVELS, type Level, openMatrix, PLACES } from '../storm/hostile/matrix.ts';
import { ALL } from '../support/all.ts';
import { unsorted } from '../support/git-keys.ts';

it('every key of this git that looks like a program or a place is in a list of the matrix', () => {
  const keys = execFileSync('git', ['help', '--config'], { encoding: 'utf8' }).split('\n');
  expect(unsorted(keys.filter((key) => /^\w/.test(key)))).toEqual([]);
});

const fenced = isOnPath('bwrap', process.env['PATH'] ?? '');

/** In the quick run; a turn is 10 s of processor time. */
const FIRST: readonly Level[] = ['before trust', fenced ? 'guard' : 'none'];
const levels = LEVELS.filter((level) => fenced || (level !== 'guard' && level !== 'strict'));

/** One turn for each level: every key in four of the seven places. `npm run storm -- hostile --only matrix` takes all of them. */
it.each(levels.map((level, turn) => [level, turn] as const).filter(([level]) => ALL || FIRST.includes(level)))(
  '%s: no git of the daemon starts, reads or writes what a key of the repository names, wherever it stands',
  async (level, turn) => {
    const { violations, person } = await openMatrix(level, turn);
    expect(violations).toEqual([]);
    for (const place of PLACES)
      expect(
        person.some((one) => one.startsWith(`${place} `)),
        `a person's git follows ${place}`,
      ).toBe(true);
  },
);
