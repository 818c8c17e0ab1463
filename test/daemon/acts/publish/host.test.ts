import { expect, it } from 'vitest';
import { publish } from '../../../../src/daemon/acts/publish/host.ts';
import type { Host } from '../../../../src/daemon/host/host.ts';
import { seenRef } from '../../../../src/repo/merge/target-refs.ts';
import { gitRepo } from '../../../platform/git/repo.ts';
import { newStore } from '../../../support/store.ts';

it('notes where it has moved the target, so that a look at a farm stopped right after changes no ref', async () => {
  await using repo = await gitRepo();
  await using store = await newStore();
  const old = repo.sh(['rev-parse', 'main']);
  const to = repo.sh(['commit-tree', '-p', old, '-m', 'a landing', `${old}^{tree}`]);
  const farm = { repo, db: store.db, target: 'main', places: repo.places } as unknown as Host;
  const done = await publish(farm).run({ old, new: to, target: 'main' }, { waiting: [], kept: { agents: [], checking: false } });
  expect(done).toMatchObject({ published: true });
  expect(repo.sh(['rev-parse', 'main'])).toBe(to);
  expect(repo.sh(['rev-parse', seenRef('main')])).toBe(to);
});
