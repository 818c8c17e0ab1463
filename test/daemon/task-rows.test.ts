import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readTasks } from '../../src/daemon/task-rows.ts';
import { openStore, type Tx } from '../../src/journal/store.ts';
import { graphOf } from '../../src/task/graph.ts';
import { importBoard } from '../../src/task/import.ts';
import type { ScannedTask } from '../../src/task/scan.ts';
import { folder } from '../task/folder.ts';

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
  paths: [],
  check: null,
  blocked: false,
  blockReason: null,
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
      .set({ standing: n % 2 ? 'landed' : 'open', attempt: n })
      .where('ref', '=', ref)
      .execute();
  if (what === 'depend')
    await tx
      .updateTable('task')
      .set({ depends_on: `["${n}"]` })
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

it('what is kept of the tasks is what a whole reading finds, whatever is written or rolled back in between', async () => {
  const step = fc.tuple(fc.constantFrom('stand', 'depend', 'drop', 'sha', 'try', 'add'), fc.integer({ min: 1, max: 6 }), fc.nat(3));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.array(step, { maxLength: 3 }), fc.boolean(), fc.boolean()), { maxLength: 12 }), async (steps) => {
      using place = folder();
      const file = join(place.path, 'store.db');
      const db = await openStore(file);
      await db.transaction().execute((tx) => add(tx, [1, 2, 3, 4, 5, 6]));
      for (const [writes, commits, looks] of steps) {
        const work = db.transaction().execute(async (tx) => {
          for (const one of writes) await write(tx, one);
          if (!commits) throw new Error('rolled back');
        });
        await work.catch(() => {});
        if (!looks) continue;
        const [kept, again] = await Promise.all([readTasks({ db, clock }), readTasks({ db, clock })]);
        const other = await openStore(file);
        const whole = await readTasks({ db: other, clock });
        await other.destroy();
        expect(kept.tasks).toEqual(whole.tasks);
        expect(again.plan).toEqual(whole.plan);
        expect(kept.newest).toEqual(whole.newest);
        for (const { ref } of whole.tasks) expect(kept.row(ref)).toEqual(whole.row(ref));
        expect(graphOf(kept.plan).order.map((one) => one.ref)).toEqual(graphOf(whole.plan).order.map((one) => one.ref));
      }
      await db.destroy();
    }),
    { numRuns: 25 },
  );
});
