import { expect, it } from 'vitest';
import type { Farm } from '../../src/farm/farm.ts';
import { askMerges } from '../../src/leader/queue/merges.ts';
import { findRepo } from '../../src/platform/git/repository.ts';
import { planQueue } from '../../src/queue/plan.ts';
import { Bench, entry } from '../queue/bench.ts';
import { gitRepo } from '../support/repo.ts';
import { decided } from './decided.ts';

/** So many branches with a file each in a queue of one slot, and a leader that has looked at it once. */
async function looked(count: number) {
  const repo = await gitRepo({ start: 'start\n' });
  const names = Array.from({ length: count }, (_, n) => `${n + 1}`);
  const at = await decided(...names);
  const entries: Awaited<ReturnType<typeof at.submit>>[] = [];
  for (const name of names) {
    const submitted = await at.submit(`p/${name}`);
    const { id } = submitted;
    entries.push(submitted);
    await repo.git('switch', '-q', '-c', `work-${id}`, 'main');
    await repo.write(`file-${id}`, `by ${id}\n`);
    await at.db
      .updateTable('entry')
      .set({ sha: await repo.commit(`work ${id}`) })
      .where('id', '=', id)
      .execute();
  }
  const [head, headTree] = (await repo.git('rev-parse', 'main', 'main^{tree}')).split('\n') as [string, string];
  // Nothing conflicts, so nothing is mended.
  const memory = { ...at.memory, head, headTree, mending: { closed: false, tell: async () => {} } } as unknown as typeof at.memory;
  const bench = new Bench(
    entries.map(({ id, task }) => entry(id, { task })),
    { slots: 1 },
  );
  const snapshot = { ...bench.snapshot(), head, headTree };
  let looks = 0;
  const told = Promise.withResolvers<void>();
  const farm = {
    ...at.farm,
    repo: await findRepo(repo.root),
    board: { dir: `${repo.root}/board` },
    log: { warn: (facts: object) => told.reject(new Error(JSON.stringify(facts))) },
    wake: () => {
      looks++;
      if (planQueue({ ...snapshot, stacked: memory.stack!.of.results() }).stack.length === 0) told.resolve();
      else told.reject(new Error('the loop has to look though merges are missing'));
    },
  } as unknown as Farm;
  const close = async () => {
    await at[Symbol.asyncDispose]();
    await repo[Symbol.asyncDispose]();
  };
  return { farm, memory, snapshot, ids: entries.map(({ id }) => id), looks: () => looks, done: told.promise, [Symbol.asyncDispose]: close };
}

it('one look at the queue leads to all merges of a stack', async () => {
  await using at = await looked(6);
  await askMerges(at.farm, at.memory, at.snapshot, planQueue(at.snapshot).stack);
  await at.done;
  expect([...at.memory.stack!.of.results().keys()]).toContain(at.ids.join(','));
  expect(at.looks()).toBe(1);
  expect(at.memory.merging.size).toBe(0);
});
