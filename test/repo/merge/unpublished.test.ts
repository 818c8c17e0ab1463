import { expect, it } from 'vitest';
import { adopt } from '../../../src/repo/merge/adopt.ts';
import { nextEpoch } from '../../../src/repo/merge/epoch.ts';
import { headRef } from '../../../src/repo/merge/target-refs.ts';
import { tasksIn } from '../../../src/repo/merge/trailers.ts';
import { carriedTasks } from '../../../src/repo/merge/unpublished.ts';
import { entry, stackOn } from './entries.ts';
import { TestRepo } from './repo.ts';

const namedBy = (repo: TestRepo, commit: string) =>
  tasksIn(repo.git('show', '-s', '--format=%(trailers:only)', commit)).map(({ ref, attempt, agent }) => `${ref} ${attempt} ${agent}`);

/** A landing of tasks 1 and 2 that was not yet published when a person moved the target, and work that began on it. */
async function overtaken(history: 'merge' | 'linear') {
  const repo = new TestRepo();
  const start = repo.git('rev-parse', 'HEAD');
  const first = entry(1, repo.commitOn(start, { 'one.txt': '1' }), { agent: 'ada' });
  const second = entry(2, repo.commitOn(start, { 'two.txt': '2' }), { agent: 'bob', attempt: 3 });
  const { commit } = await (await stackOn(repo, start, { history })).build([first, second], ['unit']);
  repo.git('update-ref', headRef('main'), commit);
  const head = repo.commitOn(start, { 'b.txt': 'mine' }, 'by the user');
  repo.git('update-ref', 'refs/heads/main', head);
  await adopt(repo, 'main', {
    epoch: await nextEpoch(repo),
    known: async () => ({ head: commit, landings: new Map([[commit, { published: false }]]) }),
    store: async () => {},
    foreign: async () => {},
  });
  const work = entry(3, repo.commitOn(commit, { 'three.txt': '3' }), { agent: 'eve' });
  return { repo, head, first, second, work };
}

it.each(['merge', 'linear'] as const)('a %s landing names the tasks that are inside its work and have not landed', async (history) => {
  const { repo, head, first, work } = await overtaken(history);
  using _ = repo;
  const carried = await carriedTasks(repo, head);
  const stack = await stackOn(repo, head, { history });
  const whole = ['default/1 1 ada', 'default/2 3 bob', 'default/3 1 eve'];
  const alone = await stack.build([work], ['unit'], carried);
  expect(namedBy(repo, alone.commit).sort()).toEqual(whole);
  expect(alone.carries.map(({ task, attempt }) => `${task} ${attempt}`)).toEqual(['default/1 1', 'default/2 3']);
  expect(namedBy(repo, (await stack.build([first, work], ['unit'], carried)).commit).sort()).toEqual(whole);
  expect(namedBy(repo, (await stack.build([work], ['unit'])).commit)).toEqual(['default/3 1 eve']);
});

it('what lies in the head is not carried any more', async () => {
  const { repo, work } = await overtaken('merge');
  using _ = repo;
  expect((await carriedTasks(repo, work.sha)).size).toBe(0);
});
