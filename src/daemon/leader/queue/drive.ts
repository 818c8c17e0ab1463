import { backoff } from '../../../platform/backoff.ts';
import { isAncestor } from '../../../platform/git/refs.ts';
import { planQueue, type QueuePlan } from '../../../queue/plan.ts';
import type { QueueSnapshot } from '../../../queue/snapshot.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import { findTaskRow } from '../../../work/task/store.ts';
import { runningKey } from '../../acts/check-run/arguments.ts';
import { LAND } from '../../acts/keys.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import { leaveLine } from '../check-needs.ts';
import { driveReviews } from '../review/drive.ts';
import { askForYes } from './ask-for-yes.ts';
import { startChecks } from './checks.ts';
import { landingOf } from './landing.ts';
import { mayLand } from './may-land.ts';
import type { QueueMemory } from './memory.ts';
import { readPaths } from './paths.ts';
import { returnRemoved } from './removed.ts';
import { queueSnapshot } from './snapshot.ts';
import { stackOn, stackUp } from './stack-up.ts';
import { storeNotes, storePlan, type Unresolved } from './store.ts';
import { askForAbsent } from './waits-for-absent.ts';

/** A halted queue tries again after 30 s, 1 min, 2 min … 15 min: a database that is back needs no person. */
const AGAIN_MS = 30_000;
const LATEST_MS = 15 * 60_000;

/** One look at the queue: stores the plan's decisions and starts what it asks for. */
export async function driveQueue(farm: Farm, memory: QueueMemory, perform: Performer): Promise<void> {
  if (perform.busy(LAND)) return;
  retryHalted(farm, memory);
  await carryOver(farm, memory);
  const snapshot = await queueSnapshot(farm, memory);
  if (await returnRemoved(farm, memory, snapshot)) return farm.wake();
  if (await driveReviews(farm, snapshot)) return farm.wake();
  await askForAbsent(farm, memory, snapshot);
  await askForYes(farm, snapshot);
  await readPaths(farm, memory, snapshot.head);
  memory.stack?.of.retain(new Set(snapshot.entries.map((entry) => entry.id)));
  const plan = planQueue(snapshot);
  if (!snapshot.paused) memory.stands = plan.stack.length > 0 ? undefined : plan.halted;
  if (plan.stack.length > 0) {
    void stackUp(farm, memory, snapshot, plan.stack);
    // A slot need not wait for the merges of what others check.
    await storeNotes(farm, memory, plan.notes);
    return startChecks(farm, memory, perform, snapshot, plan.checks);
  }
  await storePlan(farm, memory, plan, snapshot, await unresolved(farm, plan, snapshot));
  if (!snapshot.paused) halt(farm, memory, plan, snapshot);
  for (const run of plan.cancel) memory.running.get(runningKey(run))?.abort.abort();
  if (plan.land) {
    const landing = await landingOf(farm, memory, snapshot, plan.land);
    if (await mayLand(farm, memory.headTree, landing)) void perform.start('landing.land', landing);
    else return farm.wake();
  }
  await startChecks(farm, memory, perform, snapshot, plan.checks);
  await leaveLine(farm, 'queue', [...plan.checks, ...memory.running.values()]);
}

/** In a stopped farm, runs only the checks of the head that a person waits for. */
export async function checkHead(farm: Farm, memory: QueueMemory, perform: Performer): Promise<void> {
  const snapshot = { ...(await queueSnapshot(farm, memory)), entries: [], paused: !farm.trust.now.yes };
  await startChecks(farm, memory, perform, snapshot, planQueue(snapshot).checks, true);
}

/** After our own landing nearly all merges are still known: without them every running check would look unwanted. */
async function carryOver(farm: Farm, memory: QueueMemory): Promise<void> {
  if (memory.head && memory.stack?.of.head !== memory.head) await stackOn(farm, memory);
}

/** Remembers that the queue is halted and when to try again; reds and errors up to now are forgotten then. */
function halt(farm: Farm, memory: QueueMemory, plan: QueuePlan, snapshot: QueueSnapshot): void {
  if (!plan.halted) {
    // During the second try nothing is halted; only a queue that moves has recovered.
    if (plan.land || (snapshot.entries.length === 0 && !snapshot.preflight)) memory.halted = undefined;
    return;
  }
  if (memory.halted && memory.halted.again > farm.clock.awake()) return;
  const times = (memory.halted?.times ?? 0) + 1;
  memory.halted = { again: farm.clock.awake() + backoff(times, AGAIN_MS, LATEST_MS), times, upTo: snapshot.runs.at(-1)?.id ?? 0 };
  wakeAt(farm, memory.halted.again);
}

function retryHalted(farm: Farm, memory: QueueMemory): void {
  if (memory.halted && memory.halted.again <= farm.clock.awake()) memory.forgotten = memory.halted.upTo;
}

/** Entries that come back with the same conflict: their work does not contain the commit they conflicted with. */
async function unresolved(farm: Farm, plan: QueuePlan, snapshot: QueueSnapshot): Promise<Unresolved> {
  const found = new Set<number>();
  for (const { entry: id } of plan.handback) {
    const entry = snapshot.entries.find((one) => one.id === id);
    const task = entry && (await findTaskRow(farm.db, entry.task));
    const before = task && reworkOf(task)?.ours;
    if (entry && before && !(await isAncestor(farm.repo, before, entry.sha))) found.add(id);
  }
  return found;
}
