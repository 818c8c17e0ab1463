import { describe, expect, it } from 'vitest';
import type { EntrantState } from '../../../src/journal/rows/race.ts';
import { type EntrantEvent, isUnderWay, type RaceEvent, type RaceStanding, stepEntrant, stepRace } from '../../../src/queue/race/state.ts';

const racing: RaceStanding = { state: 'racing', outcome: null };
const judging: RaceStanding = { state: 'judging', outcome: null };
const won: RaceStanding = { state: 'ended', outcome: 'won' };

describe('a race', () => {
  const cases: [RaceStanding, RaceEvent, RaceStanding | undefined][] = [
    [racing, { on: 'judging' }, judging],
    [judging, { on: 'judging' }, undefined],
    [racing, { on: 'picked' }, undefined],
    [judging, { on: 'picked' }, judging],
    [racing, { on: 'ended', outcome: 'won' }, won],
    [judging, { on: 'ended', outcome: 'won' }, won],
    [won, { on: 'picked' }, undefined],
    [won, { on: 'ended', outcome: 'lost' }, undefined],
  ];
  it.each(cases)('%j by %j is %j', (from, event, to) => expect(stepRace(from, event)).toEqual(to));
});

describe('an entrant', () => {
  const cases: [EntrantState, EntrantEvent['on'], EntrantState | undefined][] = [
    ['running', 'finished', 'finished'],
    ['finished', 'finished', undefined],
    ['finished', 'merged', 'finished'],
    ['running', 'merged', undefined],
    ['finished', 'passed', 'green'],
    ['running', 'passed', undefined],
    ['running', 'failed', 'out'],
    ['finished', 'failed', 'out'],
    ['green', 'failed', undefined],
    ['green', 'won', 'won'],
    ['finished', 'won', undefined],
    ['out', 'won', undefined],
    ['dropped', 'won', undefined],
    ['running', 'lost', 'lost'],
    ['green', 'lost', 'lost'],
    ['out', 'lost', undefined],
  ];
  it.each(cases)('%s by %s is %s', (from, on, to) => expect(stepEntrant(from, { on })).toBe(to));

  it.each(['running', 'finished', 'green'] as const)('that is %s can be dropped', (from) =>
    expect(stepEntrant(from, { on: 'dropped' })).toBe('dropped'),
  );
  it.each(['out', 'dropped', 'won', 'lost'] as const)('that is %s stays so', (from) => {
    for (const on of ['finished', 'merged', 'passed', 'failed', 'dropped', 'won', 'lost'] as const)
      expect(stepEntrant(from, { on })).toBeUndefined();
    expect(isUnderWay({ state: from })).toBe(false);
  });
});
