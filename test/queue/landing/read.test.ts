import { expect, it } from 'vitest';
import type { Tx } from '../../../src/journal/store.ts';
import {
  landedCommits,
  landedTargets,
  landingAt,
  landingsAt,
  landingsToPublish,
  landingsWith,
  publishedCommits,
  recentLandings,
  removedLandings,
} from '../../../src/queue/landing/read.ts';
import { addLanding, advanceLanding } from '../../../src/queue/landing/store.ts';
import { newStore } from '../../support/store.ts';

/** Landings a, b, c on main, of which a is published, and x on next; b was taken out by a person. */
async function land(tx: Tx): Promise<void> {
  const rest = { tree: 't', parent: 'p', at: 5, steps: [], checks: null, published: null };
  await addLanding(tx, { ...rest, target: 'main', commit: 'a', entries: [1] });
  await addLanding(tx, { ...rest, target: 'main', commit: 'b', entries: [2, 12] });
  await addLanding(tx, { ...rest, target: 'next', commit: 'x', entries: [3] });
  await addLanding(tx, { ...rest, target: 'main', commit: 'c', entries: [2] });
  await advanceLanding(tx, (await landingAt(tx, 'a'))!.id, { on: 'published', at: 6 });
  await advanceLanding(tx, (await landingAt(tx, 'b'))!.id, { on: 'removed', at: 7 });
}

const commits = (rows: readonly { readonly commit: string }[]) => rows.map(({ commit }) => commit);

it('landings are found by commit, by target and by what became of them, in the order they were made in', async () => {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    await land(tx);
    expect(await landingAt(tx, 'nowhere')).toBeUndefined();
    expect([commits(await landingsAt(tx, ['c', 'a'])), await landingsAt(tx, [])]).toEqual([['a', 'c'], []]);
    expect([commits(await recentLandings(tx, 2)), commits(await recentLandings(tx, 2, 'main'))]).toEqual([
      ['c', 'x'],
      ['c', 'b'],
    ]);
    expect(await landedCommits(tx, 'main', 9)).toEqual([
      { commit: 'c', published: null },
      { commit: 'b', published: null },
      { commit: 'a', published: 6 },
    ]);
    expect([commits(await landingsToPublish(tx, 'main')), await publishedCommits(tx, 'main', 9)]).toEqual([['b', 'c'], ['a']]);
    expect([commits(await removedLandings(tx, 'main')), await landedTargets(tx)]).toEqual([['b'], ['main', 'next']]);
  });
});

it('an entry is looked for by its whole number among those of a landing', async () => {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    await land(tx);
    expect(commits(await landingsWith(tx, 2))).toEqual(['c', 'b']);
    expect(commits(await landingsWith(tx, 12))).toEqual(['b']);
  });
});
