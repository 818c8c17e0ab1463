import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type TaskRows, taskReader } from '../../../src/daemon/farm/task-rows.ts';
import { openStore, type Tx } from '../../../src/journal/store.ts';
import type { PlanTask } from '../../../src/work/task/dispatch.ts';
import { graphOf } from '../../../src/work/task/graph.ts';
import { importBoard } from '../../../src/work/task/import.ts';
import type { ScannedTask } from '../../../src/work/task/scan.ts';
import { runs } from '../../support/all.ts';
import { folder } from '../../work/task/folder.ts';

const clock = { awake: () => 0 };
const FILE: Omit<ScannedTask, 'id' | 'ref'> = {
  phase: 'default',
  file: '',
  hash: '',
  title: 'x',
  status: 'todo',
  priority: 'medium',
  class: 'standard',
  due: null,
  created: 0,
  updated: 0,
  dependsOn: [],
  tags: [],
  agent: null,
  model: null,
  effort: null,
  issue: null,
  paths: [],
  needs: [],
  check: null,
  land: null,
  blocked: false,
  blockReason: null,
  claimedBy: null,
  claimedAt: 0,
  review: false,
  race: null,
  body: '',
};
const task = (id: number): ScannedTask => ({ ...FILE, id: `${id}`, ref: `default/${id}` });
const add = (tx: Tx, ids: readonly number[]) => importBoard(tx, { known: [], added: ids.map(task), gone: [] }, 0);

const attempt = { kind: 'k', state: 'running', base: 'b', branch: 'x', started: 0, ended: null, deadline: null, pid: null } as const;
const rest = { pid_start: null, said: null, outcome: null, reason: null, sha: null, summary: null } as const;

async function write(tx: Tx, [what, id, n]: readonly [string, number, number]): Promise<void> {
  const ref = `default/${id}`;
  if (what === 'stand')
    await tx
      .updateTable('task')
      .set({ standing: n === 2 ? 'landed' : 'open', attempt: n })
      .where('ref', '=', ref)
      .execute();
  if (what === 'depend')
    await tx
      .updateTable('task')
      .set({ depends_on: `["${n}"]` })
      .where('ref', '=', ref)
      .execute();
  if (what === 'ask')
    await tx
      .updateTable('task')
      .set({ agent: `kind${n}` })
      .where('ref', '=', ref)
      .execute();
  if (what === 'drop') await tx.deleteFrom('task').where('ref', '=', ref).execute();
  if (what === 'sha')
    await tx
      .updateTable('attempt')
      .set({ sha: `${n}` })
      .where('task', '=', ref)
      .execute();
  if (what === 'try')
    await tx
      .insertInto('attempt')
      .values({ ...attempt, ...rest, task: ref, n, agent: `a${n}` })
      .onConflict((c) => c.columns(['task', 'n']).doNothing())
      .execute();
  if (what === 'add' && !(await tx.selectFrom('task').select('ref').where('ref', '=', ref).executeTakeFirst())) await add(tx, [id]);
}

/** Everything that follows from the graph, by refs. */
function shape(plan: readonly PlanTask[]) {
  const { order, needs, pathLength } = graphOf(plan);
  return {
    order: order.map((one) => one.ref).sort(),
    needs: [...needs].map(([one, others]) => `${one.ref}: ${others.map((other) => other.ref)}`).sort(),
    lengths: [...pathLength].map(([one, length]) => `${one.ref} ${length}`).sort(),
  };
}

it('what is kept of the tasks is what a whole reading finds, whatever is written or rolled back in between', async () => {
  // Few tasks and few numbers, so that the steps meet; a task that comes or goes is rare, since then all are read.
  const what = fc.constantFrom('stand', 'stand', 'stand', 'try', 'try', 'sha', 'sha', 'depend', 'depend', 'ask');
  const step = fc.tuple(
    fc.oneof({ weight: 20, arbitrary: what }, { weight: 1, arbitrary: fc.constantFrom('drop', 'add') }),
    fc.integer({ min: 1, max: 3 }),
    fc.integer({ min: 1, max: 3 }),
  );
  const often = fc.constantFrom(true, true, true, false);
  const steps = fc.array(fc.tuple(fc.array(step, { minLength: 1, maxLength: 2 }), often, often), { minLength: 10, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      using place = folder();
      const file = join(place.path, 'store.db');
      const db = await openStore(file);
      const read = taskReader({ db, clock });
      await db.transaction().execute((tx) => add(tx, [1, 2, 3]));
      try {
        for (const [writes, commits, looks] of all) {
          const work = db.transaction().execute(async (tx) => {
            for (const one of writes) await write(tx, one);
            if (!commits) throw new Error('rolled back');
          });
          await work.catch(() => {});
          if (looks) await compare(read, file);
        }
      } finally {
        await db.destroy();
      }
    }),
    { numRuns: runs(2) },
  );
});

const pairs = ({ askings }: TaskRows) => askings.map(({ phase, agent }) => `${phase} ${agent}`).sort();

async function compare(read: () => Promise<TaskRows>, file: string): Promise<void> {
  const [kept, again] = await Promise.all([read(), read()]);
  const other = await openStore(file);
  const whole = await taskReader({ db: other, clock })();
  await other.destroy();
  expect(kept.tasks).toEqual(whole.tasks);
  expect(again.plan).toEqual(whole.plan);
  expect(kept.newest).toEqual(whole.newest);
  expect(pairs(kept)).toEqual(pairs(whole));
  expect(shape(kept.plan)).toEqual(shape(whole.plan));
  for (const { ref } of whole.tasks) expect(kept.row(ref)).toEqual(whole.row(ref));
}
