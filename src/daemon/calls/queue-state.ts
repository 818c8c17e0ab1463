import type { Handlers } from '../../api/server.ts';
import { append } from '../../journal/event.ts';
import { readMeta, writeMeta } from '../../journal/store.ts';
import { newestRuns } from '../../queue/check-run/read.ts';
import { flakeLedger } from '../../queue/flakes.ts';
import { openQuestions } from '../../work/question/store.ts';
import { splitRef } from '../../work/task/id.ts';
import { conflictRows } from '../farm/conflict-rows.ts';
import { readRows } from '../farm/snapshot.ts';
import { type Desk, iso } from './context.ts';
import { queueOf } from './view/queue.ts';
import { readFarm } from './view/reading.ts';

const LEDGER_RUNS = 10_000;

const nameOf = (task: string) => splitRef(task).id;

/** The merge queue as people see it. */
export function queueState(desk: Desk): Pick<Handlers, 'queue' | 'flakes' | 'pauseQueue' | 'conflicts'> {
  const { farm, machine } = desk;
  const { db } = farm;
  return {
    queue: () => queueOf(readFarm(desk)),

    async flakes() {
      const checks = flakeLedger(await newestRuns(db, LEDGER_RUNS)).map(({ meanMs, usualMs, longestMs, last, ...rest }) => ({
        ...rest,
        mean_ms: meanMs,
        usual_ms: usualMs,
        longest_ms: longestMs,
        last: last.map((one) => ({ ...one, at: iso(one.at) })),
      }));
      return { checks };
    },

    async conflicts() {
      const { pairs, with_target: withTarget } = await machine.conflicts(conflictRows(farm, desk.state.queue, await readRows(farm)));
      return {
        pairs: pairs.map(({ a, b, paths }) => ({ a: nameOf(a), b: nameOf(b), paths: [...paths] })),
        with_target: withTarget.map(({ task, paths }) => ({ task: nameOf(task), paths: [...paths] })),
      };
    },

    async pauseQueue({ paused }) {
      const now = farm.clock.now();
      await db.transaction().execute(async (tx) => {
        const before = (await readMeta(tx, 'queue.paused')) === '1';
        await writeMeta(tx, 'queue.paused', paused ? '1' : '0');
        // To resume also means to try a halted queue again: earlier failures no longer count.
        const stands = await openQuestions(tx, { kinds: ['queue'] });
        if (!paused && stands.length > 0) await writeMeta(tx, 'queue.resumed', String(now));
        const kind = paused ? 'queue.paused' : 'queue.resumed';
        if (before !== paused) await append(tx, { kind, text: paused ? 'the queue is paused' : 'the queue runs again' }, now);
      });
      farm.wake();
      return { paused };
    },
  };
}
