import type { Handlers } from '../../api/server.ts';
import { append } from '../../journal/event.ts';
import { readMeta, writeMeta } from '../../journal/store.ts';
import { newestRuns } from '../../queue/check-run/read.ts';
import { flakeLedger } from '../../queue/flakes.ts';
import { recentLandings } from '../../queue/landing/read.ts';
import { entriesOf, type Landing } from '../../queue/landing/store.ts';
import { endedEntries, entriesById, openEntries } from '../../work/entry/read.ts';
import type { Entry } from '../../work/entry/store.ts';
import { openQuestions } from '../../work/question/store.ts';
import { splitRef } from '../../work/task/id.ts';
import { openHalt } from '../farm/failed-output.ts';
import { targetOf } from '../farm/inputs/target.ts';
import { readRows } from '../farm/snapshot.ts';
import { explainOpen } from '../leader/queue/explain.ts';
import { unchangedIn } from '../leader/queue/landing.ts';
import { heldByLeases } from '../leader/queue/leased-paths.ts';
import { queueSnapshot } from '../leader/queue/snapshot.ts';
import { waitingElsewhere } from '../leader/queue/switch-target.ts';
import { type Desk, iso } from './context.ts';
import { notRunFor } from './landings.ts';
import { shownTarget } from './shown-target.ts';

const SHOWN = 200;
const LEDGER_RUNS = 10_000;

const nameOf = (task: string) => splitRef(task)?.id ?? task;

const shownEntry = (row: Entry) => ({
  task: nameOf(row.task),
  title: row.title,
  phase: splitRef(row.task)?.phase ?? '',
  attempt: row.attempt,
  sha: row.sha,
  state: row.state,
  approved: row.approved === null ? null : iso(row.approved),
  checks: row.checks,
  at: iso(row.at),
});

const shownLanding = (row: Landing, tasks: string[], unchanged: readonly string[]) => ({
  commit: row.commit,
  tree: row.tree,
  tasks,
  at: iso(row.at),
  published: row.published !== null,
  target: row.target,
  checks: row.checks,
  unchanged: [...unchanged],
});

/** The merge queue as people see it. */
export function queueState(desk: Desk): Pick<Handlers, 'queue' | 'flakes' | 'pauseQueue' | 'conflicts'> {
  const { farm, machine, state } = desk;
  const { db } = farm;
  return {
    async queue() {
      const open = await openEntries(db);
      const over = await endedEntries(db, SHOWN);
      const entries = [...open, ...over].sort((a, b) => a.id - b.id);
      const landings = await recentLandings(db, SHOWN);
      const notRun = await notRunFor(db, landings);
      const halt = await openHalt(db);
      const hanging = new Map((await machine.hangingChecks()).map((one) => [one.log, one.text]));
      const snapshot = await queueSnapshot(farm, state.queue);
      const reasons = explainOpen(snapshot);
      const elsewhere = await waitingElsewhere(farm, state.queue.target);
      const leased = await heldByLeases(farm);
      const older = await entriesById(db, landings.flatMap(entriesOf));
      const names = new Map([...older, ...entries].map((row) => [row.id, nameOf(row.task)]));
      const named = (ids: readonly number[]) => ids.map((id) => names.get(id) ?? String(id));
      return {
        ...(await shownTarget(farm, state)),
        entries: entries.map((row) => ({
          ...shownEntry(row),
          code: reasons.get(row.id)?.code ?? (elsewhere.has(row.id) ? 'other-target' : leased.has(row.id) ? 'lease' : null),
          reason: reasons.get(row.id)?.text ?? elsewhere.get(row.id) ?? leased.get(row.id) ?? row.reason,
          target: targetOf(row, farm),
        })),
        landings: landings.reverse().map((row) => shownLanding(row, named(entriesOf(row)), notRun.get(row.commit) ?? [])),
        slots: snapshot.slots,
        paused: snapshot.paused,
        halted: halt?.reason ?? null,
        output: halt?.output ?? null,
        checks: [...state.queue.running.values()].map((run) => ({
          slot: run.slot,
          check: run.name,
          tree: run.tree,
          tasks: run.race === undefined ? named(run.chain) : [run.race],
          since: iso(run.since),
          log: run.log,
          hanging: hanging.get(run.log) ?? null,
          unchanged: unchangedIn(snapshot, run.tree),
        })),
      };
    },

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
      const { pairs, with_target: withTarget } = await machine.conflicts(await readRows(farm));
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
