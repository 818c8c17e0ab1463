import { fallout } from '../after/fallout.ts';
import { planAfter } from '../after/plan.ts';
import { reworkOf } from '../after/report.ts';
import { buildRevert } from '../after/revert.ts';
import type { AfterPlan } from '../after/snapshot.ts';
import { type AfterMemory, emptyAfter, keepBase, lastRed, readAfter } from '../after/store.ts';
import { failure } from '../agent/aftermath.ts';
import { append } from '../journal/event.ts';
import { raise, settle } from '../journal/question.ts';
import type { Tx } from '../journal/store.ts';
import { createRef } from '../platform/git/refs.ts';
import { identityOf } from '../platform/git/repository.ts';
import { splitRef } from '../task/id.ts';
import { advance } from '../task/store.ts';
import { runKey } from './acts/check-run.ts';
import type { Farm } from './farm.ts';
import type { Performer } from './perform.ts';
import { specOf } from './queue/spec.ts';
import { submitEntry } from './settle-attempt.ts';
import { dispatchSnapshot, readRows } from './snapshot.ts';
import type { LoopState } from './state.ts';

/** What the slow checks keep in memory between ticks. */
export interface AfterWatch {
  readonly memory: AfterMemory;
  /** Slow checks under way, by `runKey`. */
  readonly running: Map<string, { tree: string; check: string; abort: AbortController }>;
}

export const afterWatch = (): AfterWatch => ({ memory: emptyAfter(), running: new Map() });

/** The slow checks have a slot for themselves. */
const SLOT = 'after';
/** A red target is mended before anything else lands. */
const FIRST = 1000;

/** One look at what has landed: checks its newest state, and takes back what turned a slow check red. */
export async function driveAfter(farm: Farm, state: LoopState, perform: Performer): Promise<void> {
  const checks = farm.config.queue.after.map(specOf);
  const { memory, running } = state.after;
  for (const [, run] of running) if (!checks.some((check) => check.id === run.check)) run.abort.abort();
  await reopen(farm);
  if (checks.length === 0 || !state.queue.head) return;
  const head = { commit: state.queue.head, tree: state.queue.headTree };
  const source = { repo: farm.repo, db: farm.db, target: farm.target, head, checks, retries: farm.config.queue.retries };
  const plan = planAfter(await readAfter({ ...source, running: [...running.values()] }, memory));
  if (plan.good) await keepBase(farm.db, farm.target, plan.good);
  await say(farm, plan.halted);
  if (plan.check) startSlow(farm, state.after, perform, plan.check);
  if (plan.revert) await takeBack(farm, state.queue.head, plan.revert);
}

function startSlow(farm: Farm, { running }: AfterWatch, perform: Performer, wanted: NonNullable<AfterPlan['check']>): void {
  const { tree, commit, check } = wanted;
  const key = runKey({ tree, check: check.id });
  if (running.has(key) || perform.busy(`check.run:${key}`)) return;
  running.set(key, { tree, check: check.id, abort: new AbortController() });
  const order = { tree, commit, check, slot: SLOT, task: null, beside: 1, stage: 'after' };
  void perform.start('check.run', `check.run:${key}`, order).finally(() => {
    running.delete(key);
    farm.wake();
  });
}

async function say(farm: Farm, halted: string | undefined): Promise<void> {
  const open = await farm.db
    .selectFrom('question')
    .select('reason')
    .where('kind', '=', 'after')
    .where('closed', 'is', null)
    .executeTakeFirst();
  if (open?.reason === halted) return;
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    if (halted) await raise(tx, { kind: 'after', subject: farm.target, reason: halted }, now);
    else await settle(tx, 'after', farm.target, 'mended', now);
  });
}

/** Builds the revert and queues it before all else. The same revert is the same commit, so this may be cut anywhere. */
async function takeBack(farm: Farm, head: string, { step, evidence }: NonNullable<AfterPlan['revert']>): Promise<void> {
  const landed = await farm.db
    .selectFrom('entry')
    .selectAll()
    .where('id', '=', step.entry ?? -1)
    .executeTakeFirst();
  if (!landed || step.task === null) return;
  const red = await farm.db.selectFrom('check_run').select('at').where('id', '=', evidence.reds.at(-1)!).executeTakeFirstOrThrow();
  const order = { head, evidence, title: landed.title, committer: await identityOf(farm.repo), at: red.at };
  const built = await buildRevert(farm.repo, order);
  const { id } = splitRef(step.task);
  const row = { step: step.landed, task: step.task, check: evidence.check.id, at: farm.clock.now(), reopened: null };
  if (built.kind !== 'built') {
    await farm.db.transaction().execute(async (tx) => {
      await tx
        .insertInto('revert')
        .values({ ...row, entry: null, report: '' })
        .execute();
      if (built.kind === 'conflict') await raise(tx, { kind: 'after', subject: farm.target, reason: built.question }, row.at);
    });
    return;
  }
  const ref = `revert/${id}-${step.landed.slice(0, 8)}`;
  await createRef(farm.repo, `refs/furrow/pin/${ref}/${built.commit.slice(0, 12)}`, built.commit);
  const rework = reworkOf({ evidence, revert: built.commit, sha: landed.sha, ...(await lastRed(farm.db, evidence)) });
  await farm.db.transaction().execute(async (tx) => {
    const title = `revert ${id}: ${evidence.check.name} fails since it landed`;
    const task = { ref, id: splitRef(ref).id, title };
    const entry = await submitEntry(
      tx,
      { task, attempt: landed.attempt, agent: null, sha: built.commit, priority: FIRST, keep: false },
      row.at,
    );
    await tx
      .insertInto('revert')
      .values({ ...row, entry, report: JSON.stringify(rework) })
      .execute();
    const text = `${id} is taken back: ${evidence.check.name} passes without it and fails with it`;
    await append(tx, { kind: 'task.reverting', task: step.task, attempt: landed.attempt, text, data: { commit: built.commit } }, row.at);
  });
  farm.wake();
}

/** The task of a revert that has landed is done again, with the evidence; what depends on it is flagged. */
async function reopen(farm: Farm): Promise<void> {
  const landed = await farm.db
    .selectFrom('revert')
    .innerJoin('entry', 'entry.id', 'revert.entry')
    .select(['revert.id', 'revert.task', 'revert.report', 'entry.attempt'])
    .where('revert.reopened', 'is', null)
    .where('entry.state', '=', 'landed')
    .execute();
  if (landed.length === 0) return;
  const { tasks } = dispatchSnapshot(farm, await readRows(farm));
  const now = farm.clock.now();
  for (const revert of landed) {
    await farm.db.transaction().execute(async (tx) => {
      await tx.updateTable('revert').set({ reopened: now }).where('id', '=', revert.id).execute();
      if (await openAgain(tx, farm, revert, now))
        for (const { task, text } of fallout(tasks, revert.task)) await raise(tx, { kind: 'fallout', subject: task, reason: text }, now);
    });
  }
  farm.wake();
}

async function openAgain(
  tx: Tx,
  farm: Farm,
  { task: ref, report, attempt }: { task: string; report: string; attempt: number },
  now: number,
): Promise<boolean> {
  const task = await tx.selectFrom('task').selectAll().where('ref', '=', ref).executeTakeFirst();
  if (!task) return false;
  const first = (JSON.parse(report) as { report: string }).report.split('\n')[0] ?? '';
  const after = failure(first, task, farm.config.attempts);
  const note = { status: 'todo', notes: [`attempt ${attempt} was taken back: ${first}`] };
  const change = { commit: null, rework: report, failures: after.failures, tell: note };
  if (!(await advance(tx, ref, { on: 'reverted', token: attempt }, now, change))) return false;
  await append(tx, { kind: 'task.reverted', task: ref, attempt, text: `${task.id} was taken back and is to be done again: ${first}` }, now);
  if (after.event !== 'parked') return true;
  const question = after.question ?? first;
  await advance(tx, ref, { on: 'parked', token: attempt }, now, { blocked: 1, block_reason: question, tell: { blocked: question } });
  await raise(tx, { kind: 'parked', subject: ref, reason: question }, now);
  return true;
}
