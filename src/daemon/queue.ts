import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { append } from '../journal/event.ts';
import { raise, settle, settleTask } from '../journal/question.ts';
import { readMeta, type Tx } from '../journal/store.ts';
import { planQueue, type QueuePlan, type WantedCheck } from '../merge/plan.ts';
import type { CheckSpec, QueueEntry, QueueSnapshot, Stacked } from '../merge/snapshot.ts';
import { predict } from '../merge/stack.ts';
import { splitRef } from '../task/id.ts';
import { advance } from '../task/store.ts';
import { landingFor } from './acts/land.ts';
import { describeConflict, describeRed } from './describe.ts';
import type { Farm } from './farm.ts';
import { type Back, handBack } from './hand-back.ts';
import { moveEntry } from './move-entry.ts';
import type { Performer } from './perform.ts';
import { readTasks } from './snapshot.ts';

/** What the queue keeps in memory between ticks: it is all true for ever, and cheap to find out again after a crash. */
export interface QueueMemory {
  head: string;
  headTree: string;
  readonly stacked: Map<string, Stacked>;
  /** Merges being computed. */
  readonly stacking: Set<string>;
  readonly running: Map<string, { tree: string; check: string; abort: AbortController }>;
  /** Why the line stands still, if it does. */
  halted: string | undefined;
}

const MERGE_AGAIN_MS = 1000;

const specOf = ({ name, run, timeoutMs, env }: Omit<CheckSpec, 'id'>): CheckSpec => ({
  id: createHash('sha256')
    .update(JSON.stringify([name, run, timeoutMs, env]))
    .digest('hex')
    .slice(0, 16),
  name,
  run,
  timeoutMs,
  env,
});

const OWN_TIMEOUT_MS = 600_000;

/** What a task's `check:` line asks for, besides what every task must pass. */
const ownCheck = (run: string | null | undefined): CheckSpec[] =>
  run ? [specOf({ name: 'task-check', run, timeoutMs: OWN_TIMEOUT_MS, env: {} })] : [];

/** `withEnded` is for explaining: it names what became of the entries that others wait for. */
export async function queueSnapshot(farm: Farm, memory: QueueMemory, withEnded = false): Promise<QueueSnapshot> {
  const { db } = farm;
  const rows = await db
    .selectFrom('entry')
    .selectAll()
    .$if(!withEnded, (q) => q.where('ended', 'is', null))
    .orderBy('id')
    .execute();
  const tasks = new Map((await readTasks(farm)).tasks.map((row) => [row.ref, row]));
  const first = await firstSubmitted(
    farm,
    rows.map((row) => row.task),
  );
  const entries: QueueEntry[] = rows.map((row) => ({
    ...row,
    at: first.get(row.task) ?? row.at,
    after: JSON.parse(row.after) as string[],
    own: ownCheck(tasks.get(row.task)?.check),
  }));
  const landed = [...tasks.values()].filter((row) => row.standing === 'landed');
  // Merges onto an earlier head are of no use to anybody.
  for (const [key, one] of memory.stacked) if (one.head !== memory.head) memory.stacked.delete(key);
  const live = new Set(entries.map((entry) => entry.sha));
  const stacked = [...memory.stacked.values()].filter((one) => one.head === memory.head && live.has(one.sha));
  const trees = [memory.headTree, ...stacked.flatMap((one) => (one.result.kind === 'clean' ? [one.result.tree] : []))];
  // The human said "go on": what failed before that says nothing any more.
  const resumed = Number((await readMeta(db, 'queue.resumed')) ?? 0);
  const runs = await db
    .selectFrom('check_run')
    .select(['tree', 'check', 'outcome'])
    .where('tree', 'in', trees)
    .where((e) => e.or([e('outcome', '=', 'pass'), e('at', '>', resumed)]))
    .orderBy('id')
    .execute();
  return {
    head: memory.head,
    headTree: memory.headTree,
    entries,
    landedTasks: new Set(landed.map((row) => row.ref)),
    stacked,
    runs,
    checks: farm.config.checks.map(specOf),
    running: [...memory.running.values()],
    retries: farm.config.queue.retries,
    slots: 1,
    paused: false,
  };
}

/**
 * An entry stands where its task first stood: work that was handed back would otherwise queue behind what it will conflict
 * with again, and 3 of 60 tasks never got through.
 */
async function firstSubmitted(farm: Farm, tasks: readonly string[]): Promise<Map<string, number>> {
  if (tasks.length === 0) return new Map();
  const rows = await farm.db
    .selectFrom('entry')
    .select(['task', (e) => e.fn.min('at').as('at')])
    .where('task', 'in', tasks)
    .groupBy('task')
    .execute();
  return new Map(rows.map((row) => [row.task, Number(row.at)]));
}

/** One look at the queue: stores what the plan decided and begins what it asks for. */
export async function driveQueue(farm: Farm, memory: QueueMemory, perform: Performer): Promise<void> {
  if (perform.busy('landing.land')) return;
  const snapshot = await queueSnapshot(farm, memory);
  const plan = planQueue(snapshot);
  memory.halted = plan.halted;
  await store(farm, plan, snapshot);
  for (const run of plan.cancel) memory.running.get(`${run.tree}:${run.check}`)?.abort.abort();
  for (const wanted of plan.stack) void stack(farm, memory, snapshot, wanted.entry);
  for (const landing of plan.land) await startLanding(farm, perform, snapshot, landing);
  for (const wanted of plan.checks) await startCheck(farm, memory, perform, snapshot, wanted);
}

async function store(farm: Farm, plan: QueuePlan, snapshot: QueueSnapshot): Promise<void> {
  const now = farm.clock.now();
  const nothing = plan.states.length + plan.handback.length + plan.refuse.length + plan.reject.length + plan.contained.length === 0;
  const halted = await farm.db
    .selectFrom('question')
    .select('reason')
    .where('kind', '=', 'queue')
    .where('closed', 'is', null)
    .executeTakeFirst();
  if (nothing && halted?.reason === plan.halted) return;
  await farm.db.transaction().execute(async (tx) => {
    for (const { entry: id, state, reason } of plan.states) {
      const { task, attempt } = snapshot.entries.find((one) => one.id === id)!;
      const moved = await moveEntry(tx, id, state, reason, now);
      if (moved) await append(tx, { kind: `entry.${state}`, task, attempt, text: `${splitRef(task).id} in the queue: ${reason}` }, now);
    }
    for (const id of plan.contained) await endContained(tx, farm, snapshot, id, now);
    const back = (one: Back) => handBack(tx, farm, snapshot, one, now);
    for (const { entry, report } of plan.handback)
      await back({ entry, state: 'conflict', report: describeConflict(report), conflict: report });
    for (const { entry, reason } of plan.refuse) await back({ entry, state: 'conflict', report: reason, anew: true });
    for (const { entry, check, tree } of plan.reject)
      await back({ entry, state: 'rejected', report: await describeRed(tx, snapshot, check, tree) });
    if (plan.halted && halted?.reason !== plan.halted) await raise(tx, { kind: 'queue', subject: 'queue', reason: plan.halted }, now);
    if (!plan.halted && halted) await settle(tx, 'queue', 'queue', 'it goes on', now);
  });
  farm.wake();
}

async function endContained(tx: Tx, farm: Farm, snapshot: QueueSnapshot, id: number, now: number): Promise<void> {
  const entry = snapshot.entries.find((one) => one.id === id);
  if (!entry || !(await moveEntry(tx, id, 'landed', 'the target already has it', now))) return;
  await advance(tx, entry.task, { on: 'landed', token: entry.attempt }, now, {
    commit: snapshot.head,
    rework: null,
    tell: { status: 'done', notes: ['landed: the target already had all of it'] },
  });
  await settleTask(tx, entry.task, 'landed', now);
  await append(
    tx,
    {
      kind: 'landing.landed',
      task: entry.task,
      attempt: entry.attempt,
      text: `${entry.task} was already on ${farm.target}`,
      data: { commit: snapshot.head, tasks: [entry.task], contained: true },
    },
    now,
  );
}

async function stack(farm: Farm, memory: QueueMemory, snapshot: QueueSnapshot, id: number): Promise<void> {
  const entry = snapshot.entries.find((one) => one.id === id);
  const key = `${snapshot.head}:${entry?.sha}`;
  if (!entry || memory.stacking.has(key)) return;
  memory.stacking.add(key);
  try {
    const row = await farm.db.selectFrom('entry').select('title').where('id', '=', id).executeTakeFirstOrThrow();
    const { head, sha, task, attempt } = { ...entry, head: snapshot.head };
    const result = await predict(farm.repo, { head, sha, task, attempt, target: farm.target, intent: row.title });
    memory.stacked.set(key, { head, sha, result });
  } catch (error) {
    // Trouble of the machine, a killed git: no answer, so it is asked again.
    farm.log.warn({ error: (error as Error).message }, 'a merge could not be computed');
    await sleep(MERGE_AGAIN_MS, undefined, { ref: false });
  }
  memory.stacking.delete(key);
  farm.wake();
}

async function startLanding(farm: Farm, perform: Performer, snapshot: QueueSnapshot, landing: QueuePlan['land'][number]): Promise<void> {
  const args = await landingFor(farm, snapshot, landing);
  void perform.start('landing.land', 'landing.land', args);
}

async function startCheck(
  farm: Farm,
  memory: QueueMemory,
  perform: Performer,
  snapshot: QueueSnapshot,
  wanted: WantedCheck,
): Promise<void> {
  const key = `${wanted.tree}:${wanted.check.id}`;
  if (memory.running.has(key) || perform.busy(`check.run:${key}`)) return;
  const entry = snapshot.entries.find((one) => one.id === wanted.entry);
  const commit =
    'sha' in wanted.commit
      ? (await landingFor(farm, snapshot, { entries: [wanted.entry], tree: wanted.tree, head: snapshot.head, unchecked: false })).commit
      : wanted.commit.head;
  memory.running.set(key, { tree: wanted.tree, check: wanted.check.id, abort: new AbortController() });
  void perform
    .start('check.run', `check.run:${key}`, { tree: wanted.tree, commit, check: wanted.check, slot: 1, task: entry?.task ?? null })
    .finally(() => {
      memory.running.delete(key);
      farm.wake();
    });
}
