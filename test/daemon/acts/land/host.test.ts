import { expect, it } from 'vitest';
import { land } from '../../../../src/daemon/acts/land/host.ts';
import type { Host } from '../../../../src/daemon/host/host.ts';
import { headRef } from '../../../../src/repo/merge/target-refs.ts';
import { gitRepo } from '../../../platform/git/repo.ts';

it('a landing that other checks judged moves no head, also when it is found after a crash', async () => {
  await using repo = await gitRepo();
  const head = repo.sh(['rev-parse', 'main']);
  repo.sh(['update-ref', headRef('main'), head]);
  const commit = repo.sh(['commit-tree', '-p', head, '-m', 'a landing', `${head}^{tree}`]);
  const half = land({ repo, target: 'main' } as unknown as Host);
  const args = { entries: [], steps: [], head, tree: 't', commit, unchecked: false, target: 'main' };
  expect(await half.run(args, { judged: false })).toEqual({ landed: false, dropped: true });
  expect(await half.probe(args, { judged: false })).toEqual({ landed: false, dropped: true });
  expect(await half.probe(args, { judged: true })).toBeUndefined();
  expect(repo.sh(['rev-parse', headRef('main')])).toBe(head);
});
