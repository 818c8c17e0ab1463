import { gitPath } from '../../journal/branch.ts';
import { append } from '../../journal/event.ts';
import { type FailedOutput, failedOutput, inOneLine } from '../../platform/output/failed.ts';
import { findRun } from '../../queue/check-run/read.ts';
import { planSlowChecks } from '../../queue/slow-checks/plan.ts';
import { reworkAfterRevert } from '../../queue/slow-checks/report.ts';
import { addRevert } from '../../queue/slow-checks/reverts.ts';
import type { SlowCheckPlan } from '../../queue/slow-checks/snapshot.ts';
import { keepBase, lastRed, readSlowChecks } from '../../queue/slow-checks/store.ts';
import type { CheckSpec } from '../../repo/merge/check.ts';
import { findEntry } from '../../work/entry/read.ts';
import { submitEntry } from '../../work/entry/store.ts';
import { closeQuestions, openQuestions, raiseQuestion } from '../../work/question/store.ts';
import { splitRef } from '../../work/task/id.ts';
import { runningKey } from '../acts/check-run/arguments.ts';
import { checkKey } from '../acts/keys.ts';
import { checkLog } from '../farm/check-log.ts';
import { specsOf } from '../farm/check-specs.ts';
import { withOutput } from '../farm/failed-output.ts';
import type { Farm } from '../farm/farm.ts';
import type { Performer } from '../farm/performer.ts';
import { aboutsOf } from '../farm/verdict-keys.ts';
import { leaveLine, mayCheck } from './check-needs.ts';
import type { SlowCheckWatch } from './slow-check-watch.ts';
import type { LoopState } from './state.ts';
import { reopenReverted } from './target/reopen.ts';

/** The slow checks have one slot for themselves. */
const SLOT = 'after';
/** A red target is repaired before anything else lands. */
const FIRST = 1000;

/** One look at what has landed: checks its newest state, and takes back what turned a slow check red. */
export async function driveSlowChecks(farm: Farm, state: LoopState, perform: Performer): Promise<void> {
  const checks = specsOf(farm.config.queue.after, farm.config);
  const { memory, running } = state.slowChecks;
  for (const [, run] of running) if (!checks.some((check) => check.id === run.check)) run.abort.abort();
  await reopenReverted(farm);
  state.slowChecks.wanted = undefined;
  if (checks.length === 0 || !state.queue.head || !farm.trust.now.yes) return leaveLine(farm, 'after', [...running.values()]);
  const head = { commit: state.queue.head, tree: state.queue.headTree };
  const abouts = (trees: readonly string[]) => aboutsOf(farm, checks, trees);
  const source = { git: farm.git, abouts, db: farm.db, target: state.queue.target, head, checks, retries: farm.config.queue.retries };
  const plan = planSlowChecks(await readSlowChecks({ ...source, running: [...running.values()] }, memory));
  if (plan.good) await keepBase(farm.db, state.queue.target, plan.good);
  await say(farm, state.queue.target, plan);
  state.slowChecks.wanted = wantedCheck(plan, checks, running);
  const mine = plan.check && { ...plan.check, stage: 'after' as const };
  if (mine && !running.has(runningKey({ tree: mine.tree, check: mine.check.id })) && (await mayCheck(farm, mine)))
    startSlow(farm, state.slowChecks, perform, mine);
  await leaveLine(farm, 'after', [...(mine ? [mine] : []), ...running.values()]);
  if (plan.revert) await takeBack(farm, state.queue, plan.revert);
}

/** The check that runs, or is about to. */
function wantedCheck({ check }: SlowCheckPlan, checks: readonly CheckSpec[], running: SlowCheckWatch['running']): SlowCheckWatch['wanted'] {
  const [run] = running.values();
  const name = check?.check.name ?? checks.find((one) => one.id === run?.check)?.name;
  const of = check ? { tree: check.tree, check: check.check.id } : run;
  return of && name !== undefined ? { name, tree: of.tree, key: checkKey(of) } : undefined;
}

function startSlow(farm: Farm, { running }: SlowCheckWatch, perform: Performer, wanted: NonNullable<SlowCheckPlan['check']>): void {
  const { tree, commit, check } = wanted;
  const key = runningKey({ tree, check: check.id });
  if (running.has(key) || perform.busy(checkKey({ tree, check: check.id }))) return;
  running.set(key, { tree, check: check.id, abort: new AbortController() });
  const order = { tree, commit, check, slot: SLOT, task: null, stage: 'after' as const, log: checkLog(farm, tree, check.name) };
  void perform.start('check.run', order).finally(() => {
    running.delete(key);
    farm.wake();
  });
}

async function say(farm: Farm, target: string, { halted, haltedBy }: SlowCheckPlan): Promise<void> {
  const [open] = await openQuestions(farm.db, { kinds: ['after'], subject: target });
  // It was told with the output of that run.
  if (halted === undefined ? !open : open?.reason.startsWith(halted)) return;
  const output = halted === undefined ? undefined : await outputOf(farm, haltedBy);
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    if (halted)
      await raiseQuestion(
        tx,
        { kind: 'after', subject: target, reason: `${halted}${output ? inOneLine(output) : ''}`, data: withOutput(output) },
        now,
      );
    else await closeQuestions(tx, 'after', target, 'mended', now);
  });
}

/** The output of a run of a slow check. */
async function outputOf({ db }: Farm, run: number | undefined): Promise<FailedOutput | undefined> {
  const row = await findRun(db, run ?? -1);
  return row && failedOutput(row);
}

/** Builds the revert and queues it before everything else. The same revert is the same commit, so this is safe to repeat. */
async function takeBack(
  farm: Farm,
  { target, head }: LoopState['queue'],
  { step, evidence }: NonNullable<SlowCheckPlan['revert']>,
): Promise<void> {
  const landed = await findEntry(farm.db, step.entry ?? -1);
  if (!landed || step.task === null) return;
  const red = (await findRun(farm.db, evidence.reds.at(-1)!))!;
  const order = { head, evidence, title: landed.title, committer: await farm.git.identityOf(), at: red.at };
  const built = await farm.git.buildRevert(order);
  const { id } = splitRef(step.task);
  const row = { step: step.landed, task: step.task, check: evidence.check.id };
  const now = farm.clock.now();
  if (built.kind !== 'built') {
    const output = await outputOf(farm, evidence.reds.at(-1));
    await farm.db.transaction().execute(async (tx) => {
      await addRevert(tx, row, undefined, now);
      if (built.kind === 'conflict')
        await raiseQuestion(tx, { kind: 'after', subject: target, reason: built.question, data: withOutput(output) }, now);
    });
    return;
  }
  const ref = `revert/${id}-${step.landed.slice(0, 8)}`;
  await farm.git.createRef(`refs/furrow/pin/${gitPath(ref)}/${built.commit.slice(0, 12)}`, built.commit);
  const rework = reworkAfterRevert({ evidence, revert: built.commit, sha: landed.sha, ...(await lastRed(farm.db, evidence)) });
  await farm.db.transaction().execute(async (tx) => {
    const title = `revert ${id}: ${evidence.check.name} fails since it landed`;
    const task = { ref, id: splitRef(ref).id, title };
    const entry = await submitEntry(
      tx,
      {
        task,
        attempt: landed.attempt,
        agent: null,
        sha: built.commit,
        target,
        priority: FIRST,
        keep: false,
        asked: { by: 'furrow', rules: [] },
      },
      now,
    );
    await addRevert(tx, row, { entry, rework }, now);
    const text = `${id} is taken back: ${evidence.check.name} passes without it and fails with it`;
    await append(tx, { kind: 'task.reverting', task: step.task, attempt: landed.attempt, text, data: { commit: built.commit } }, now);
  });
  farm.wake();
}
