import { expect, it } from 'vitest';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import { repositoryAt } from '../../../src/daemon/farm/repository.ts';
import { stackUp } from '../../../src/daemon/leader/queue/stack-up.ts';
import { findRepo } from '../../../src/platform/git/repository.ts';
import { Bench, entry } from '../../queue/bench.ts';
import { gitRepo } from '../../support/repo.ts';
import { decided } from './decided.ts';

/**
 * Three entries, and a leader that merges them. The first conflicts with the head, and the rule that mends it takes until `mended`. `woken`: a
 * look that finds these merges.
 */
async function submitted() {
  const repo = await gitRepo({ both: 'start\n' });
  const at = await decided('1', '2', '3');
  const entries: { id: number; task: string }[] = [];
  for (const name of ['1', '2', '3']) {
    const { id, task } = await at.submit(`p/${name}`);
    entries.push({ id, task });
    await repo.git('switch', '-q', '-c', `work-${name}`, 'main');
    await repo.write(name === '1' ? 'both' : `file-${name}`, `by ${name}\n`);
    const sha = await repo.commit(`work ${name}`);
    await at.db.updateTable('entry').set({ sha }).where('id', '=', id).execute();
  }
  await repo.git('switch', '-q', 'main');
  await repo.write('both', 'by main\n');
  await repo.commit('the other side of the conflict');
  const [head, headTree] = (await repo.git('rev-parse', 'main', 'main^{tree}')).split('\n') as [string, string];
  const mended = Promise.withResolvers<{ kind: 'none' }>();
  const mending = { closed: false, tell: async () => {}, mend: () => mended.promise };
  const memory = { ...at.memory, head, headTree, mending } as unknown as typeof at.memory;
  const bench = new Bench(entries.map(({ id, task }) => entry(id, { task })));
  const snapshot = () => ({ ...bench.snapshot(), head, headTree, stacked: memory.stack?.of.results() ?? new Map() });
  let look = () => {};
  const log = { warn: (facts: object) => expect.unreachable(JSON.stringify(facts)) };
  const place = await findRepo(repo.root);
  const farm = {
    ...at.farm,
    repo: place,
    git: repositoryAt(place),
    board: { dir: `${repo.root}/board` },
    log,
    wake: () => look(),
  } as unknown as Farm;
  const woken = (...chains: string[]) =>
    new Promise<void>((resolve) => {
      look = () => chains.every((chain) => snapshot().stacked.has(chain)) && resolve();
    });
  const close = async () => {
    await at[Symbol.asyncDispose]();
    await repo[Symbol.asyncDispose]();
  };
  const ids = entries.map(({ id }) => id) as [number, number, number];
  const merge = (...chains: number[][]) => stackUp(farm, memory, snapshot(), chains);
  return { ids, memory, merge, woken, mended: () => mended.resolve({ kind: 'none' }), [Symbol.asyncDispose]: close };
}

it('the next merges begin while a conflict is being mended', async () => {
  await using at = await submitted();
  const [a, b, c] = at.ids;
  const two = at.woken(`${b}`, `${c}`);
  const first = at.merge([a], [b], [c]);
  await two;
  const three = at.woken(`${b},${c}`);
  const next = at.merge([a], [b, c]);
  await three;
  expect([...at.memory.merging].map((name) => name.split(' ')[1])).toEqual([`${a}`]);
  const all = at.woken(`${a}`);
  at.mended();
  await Promise.all([all, first, next]);
  expect(at.memory.merging.size).toBe(0);
});
