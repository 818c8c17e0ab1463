import { expect, it } from 'vitest';
import { type FenceSupport, isolationOf, type Level, pinnedLevel } from '../../../src/repo/fence/level.ts';

const YES: FenceSupport = { works: true };
const NO: FenceSupport = { works: false, why: 'bubblewrap is not installed', next: 'apt install bubblewrap' };

const gives = (asked: Level | undefined, usual: string | undefined, probe: FenceSupport, expected: object) => () =>
  expect(isolationOf(asked, usual, probe)).toMatchObject(expected);

it('guard where it works and nobody said anything', gives(undefined, undefined, YES, { level: 'guard', why: null, refused: null }));
it(
  'none, with the reason and the remedy, where it does not',
  gives(undefined, undefined, NO, { level: 'none', why: 'bubblewrap is not installed: apt install bubblewrap', refused: null }),
);
it('none when furrow.yaml says so', gives('none', 'guard', YES, { level: 'none', why: 'furrow.yaml says so', refused: null }));
it('none when the person says so', gives(undefined, 'none', YES, { level: 'none', why: 'FURROW_ISOLATION says so', refused: null }));
it('furrow.yaml before the person', gives('guard', 'none', YES, { level: 'guard', refused: null }));
it('what was asked for is never replaced by less', gives('guard', undefined, NO, { refused: { next: 'apt install bubblewrap' } }));
it('nor what the person asked for', gives(undefined, 'guard', NO, { refused: { next: 'apt install bubblewrap' } }));
it('strict where it was asked for and works', gives('strict', undefined, YES, { level: 'strict', why: null, refused: null }));
it('strict is never replaced by guard', gives('strict', undefined, NO, { level: 'none', refused: { next: 'apt install bubblewrap' } }));
it('a word that is no level is not heard', gives(undefined, 'total', YES, { level: 'guard' }));

it('an attempt of an earlier version ran without a fence', () => {
  expect([pinnedLevel(null), pinnedLevel('{}'), pinnedLevel('x'), pinnedLevel('{"isolation":"guard"}')]).toEqual([
    'none',
    'none',
    'none',
    'guard',
  ]);
});
