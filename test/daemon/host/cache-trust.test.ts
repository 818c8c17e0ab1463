import { expect, it } from 'vitest';
import { cacheTrust } from '../../../src/daemon/host/checks/slot.ts';
import type { Host } from '../../../src/daemon/host/host.ts';
import { gitRepo } from '../../platform/git/repo.ts';
import { newStore } from '../../support/store.ts';
import { leaderAnswersOn } from './leader-answers-on.ts';

it('trusts the caches of every tree that the target had, and of no branch', async () => {
  const repo = await gitRepo();
  const store = await newStore();
  const commit = (text: string) => {
    repo.sh(['commit', '-q', '--allow-empty', '-m', text]);
    repo.write('a.txt', text);
    repo.sh(['add', '-A']);
    repo.sh(['commit', '-q', '-m', text]);
    return repo.sh(['rev-parse', 'HEAD^{tree}']);
  };
  const older = commit('older');
  const newest = commit('newest');
  repo.sh(['switch', '-q', '-c', 'feature']);
  const branch = commit('of a branch');
  repo.sh(['switch', '-q', 'main']);
  const { isLanded } = cacheTrust({
    repo,
    leader: leaderAnswersOn(store.db),
    target: 'main',
    config: { queue: { share_caches: false } },
  } as unknown as Host);
  expect(await Promise.all([older, newest, branch].map(isLanded))).toEqual([true, true, false]);
});
