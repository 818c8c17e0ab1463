import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import type { Performer } from '../../../src/daemon/farm/performer.ts';
import { repositoryAt } from '../../../src/daemon/farm/repository.ts';
import { freshTarget } from '../../../src/daemon/leader/state.ts';
import { noteHead } from '../../../src/daemon/leader/target/adopt-target.ts';
import { observeTarget, publishHead } from '../../../src/daemon/leader/target/target.ts';
import { openStore } from '../../../src/journal/store.ts';
import { placesOf } from '../../../src/platform/places.ts';
import { headRef, seenRef } from '../../../src/repo/merge/target-refs.ts';
import { gitRepo, type TestRepo } from '../../support/repo.ts';
import { newStore } from '../../support/store.ts';

/** A commit on top of another one, as a landing makes it. */
const onTop = (repo: TestRepo, parent: string, subject: string) => repo.git('commit-tree', `${parent}^{tree}`, '-p', parent, '-m', subject);

it('the head is published only over the value of the target that was looked at', async () => {
  await using repo = await gitRepo({ 'a.txt': 'a\n' });
  const db = await openStore(join(repo.base, 'store.db'));
  const git = repositoryAt({ root: repo.root, gitDir: join(repo.root, '.git') });
  const farm = { git, db, places: placesOf(repo.root) } as unknown as Farm;
  const first = await repo.git('rev-parse', 'main');
  const published = await onTop(repo, first, 'land 1');
  const head = await onTop(repo, published, 'land 2');
  const started: unknown[] = [];
  const perform = {
    busy: () => false,
    start: async (_kind: string, args: unknown) => {
      started.push(args);
    },
  } as unknown as Performer;
  const state = { ...freshTarget(), targetAt: published, queue: { target: 'main', head, headTree: '', moves: 0 } };

  // A person takes landing 1 out between the look and the publication: published now, landing 2 would bring it back.
  await publishHead(farm, state, perform, 0);
  expect(started).toEqual([]);
  expect(state.publishing.at, 'it is tried again once the target was looked at').toBe('');

  await repo.git('update-ref', 'refs/heads/main', published);
  await publishHead(farm, state, perform, 0);
  expect(started).toEqual([{ old: published, new: head, target: 'main' }]);
  await db.destroy();
});

it('a landing that is published and taken out between two looks is a move of the head, which is where it was', async () => {
  await using repo = await gitRepo({ 'a.txt': 'a\n' });
  await using store = await newStore();
  const first = await repo.git('rev-parse', 'main');
  const landing = await onTop(repo, first, 'land 1');
  for (const ref of [headRef('main'), seenRef('main')]) await repo.git('update-ref', ref, landing);
  await store.db.transaction().execute((tx) => noteHead(tx, 'main', landing));
  const clock = { now: () => 0, awake: () => 0 };
  const git = repositoryAt({ root: repo.root, gitDir: join(repo.root, '.git') });
  const farm = { git, db: store.db, clock, target: 'main' } as unknown as Farm;
  const state = { ...freshTarget(), queue: { target: 'main', head: first, headTree: '', moves: 0 } };
  const perform = { flying: () => false } as unknown as Performer;
  expect(await observeTarget(farm, state, perform)).toBe(true);
  expect(state.queue).toMatchObject({ head: first, moves: 1 });
  state.targetSeen = '';
  await observeTarget(farm, state, perform);
  expect(state.queue).toMatchObject({ head: first, moves: 1 });
});
