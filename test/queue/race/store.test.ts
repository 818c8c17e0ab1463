import { expect, it } from 'vitest';
import { eventsAfter } from '../../../src/journal/event.ts';
import { addEntrant, addRace, advanceEntrant, advanceRace, entrantsOf, lastRaceOf, openRaces } from '../../../src/queue/race/store.ts';
import { newStore } from '../../support/store.ts';

const NEW = { task: 'p/7', token: 2, first: false, deadline: null };

it('a race is open until it ends, once; a later one of the same task is another', async () => {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    const id = await addRace(tx, NEW, 10);
    expect(await openRaces(tx)).toMatchObject([{ id, task: 'p/7', token: 2, state: 'racing', first: 0, at: 10, ended: null }]);
    expect(await advanceRace(tx, id, { on: 'picked' }, 20, { picked: 1 })).toBe(false);
    expect(await advanceRace(tx, id, { on: 'judging' }, 20, { judge: 'command' })).toBe(true);
    expect(await advanceRace(tx, id, { on: 'picked' }, 30, { picked: 2, why: 'clearer' })).toBe(true);
    expect(await advanceRace(tx, id, { on: 'ended', outcome: 'won' }, 40, { winner: 2 })).toBe(true);
    expect(await advanceRace(tx, id, { on: 'ended', outcome: 'lost' }, 50)).toBe(false);
    expect(await lastRaceOf(tx, 'p/7')).toMatchObject({ state: 'ended', outcome: 'won', winner: 2, picked: 2, why: 'clearer', ended: 40 });
    expect(await openRaces(tx)).toEqual([]);
    const again = await addRace(tx, { ...NEW, token: 3, first: true }, 60);
    expect(await lastRaceOf(tx, 'p/7')).toMatchObject({ id: again, token: 3, first: 1 });
  });
});

it('each change of an entrant is told with the number it has, and a late one changes and tells nothing', async () => {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    const race = await addRace(tx, NEW, 10);
    for (const n of [1, 2]) await addEntrant(tx, { race, n, ref: `p/race-7-${n}`, kind: n === 1 ? 'codex' : null }, 10);
    const first = { race, n: 1, task: 'p/7' };
    expect(await advanceEntrant(tx, first, { on: 'finished' }, 20, { agent: 'ada', sha: 'c1', text: '1 has finished' })).toBe(true);
    expect(await advanceEntrant(tx, first, { on: 'merged' }, 30, { tree: 't', commit: 'm', lines: 5 })).toBe(true);
    expect(await advanceEntrant(tx, first, { on: 'passed' }, 40, { text: '1 passes' })).toBe(true);
    expect(await advanceEntrant(tx, first, { on: 'failed' }, 50, { reason: 'late', text: 'late' })).toBe(false);
    expect(await advanceEntrant(tx, { race, n: 9, task: 'p/7' }, { on: 'failed' }, 50, { text: 'nobody' })).toBe(false);
    expect(await entrantsOf(tx, race)).toMatchObject([
      { n: 1, kind: 'codex', state: 'green', agent: 'ada', sha: 'c1', tree: 't', lines: 5, reason: null, ended: 40 },
      { n: 2, kind: null, state: 'running', agent: null, ended: null },
    ]);
  });
  const told = await eventsAfter(store.db, 0);
  expect(told.map(({ kind, task, agent, data }) => [kind, task, agent, JSON.parse(data)])).toEqual([
    ['race.entrant', 'p/7', 'ada', { text: '1 has finished', race: 1, entrant: 1, state: 'finished' }],
    ['race.entrant', 'p/7', 'ada', { text: '1 passes', race: 1, entrant: 1, state: 'green' }],
  ]);
});
