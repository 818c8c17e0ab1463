import type { Selectable } from 'kysely';
import { branchOf } from '../../../journal/branch.ts';
import type { EntryRow } from '../../../journal/rows/entry.ts';
import { readMeta } from '../../../journal/store.ts';
import { keptByVersion } from '../../../platform/cache.ts';
import { tableVersion } from '../../../platform/engine/counted.ts';
import { cheapFirst } from '../../../queue/cheap-first.ts';
import { readNotes } from '../../../queue/notes.ts';
import type { Abouts, QueueEntry, QueueSnapshot, StackResult } from '../../../queue/snapshot.ts';
import { aboutOf } from '../../../queue/verdict.ts';
import { overlapsOf } from '../../../repo/radar/whom-to-tell.ts';
import { allEntries, countEnds, firstSubmitted, newestOf, openEntries } from '../../../work/entry/read.ts';
import { ended } from '../../../work/entry/state.ts';
import { openWork } from '../../../work/store.ts';
import { isSatisfied } from '../../../work/task/derive.ts';
import { ownCheck, specsOf } from '../../farm/check-specs.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/target-of.ts';
import type { TaskRows } from '../../farm/task-rows.ts';
import { aboutsOf } from '../../farm/verdict-keys.ts';
import { reviewWaits } from '../review/read.ts';
import { awaitsYes, isUnread } from './approval.ts';
import { heldByLeases } from './leased-paths.ts';
import type { QueueMemory } from './memory.ts';
import { earlierRuns, recentRuns, slotsOf, timed } from './runs.ts';
import { unsubmittedNeeds } from './unsubmitted-needs.ts';

/** `withEnded` is for explaining: it includes ended entries that others wait for. */
export async function queueSnapshot(farm: Farm, memory: QueueMemory, withEnded = false): Promise<QueueSnapshot> {
  const { db, config } = farm;
  const stopped = farm.stopped() !== undefined;
  const all = await (withEnded ? allEntries : openEntries)(db);
  const now = farm.clock.awake();
  const leased = await heldByLeases(farm);
  const isReady = (row: (typeof all)[number]) => (memory.troubled.get(row.id)?.until ?? 0) <= now && !isUnread(row) && !leased.has(row.id);
  const rows = all.filter((row) => targetOf(row, farm) === memory.target && (row.ended !== null || isReady(row)));
  const tasks = await farm.tasks();
  const recent = await recentRuns(farm);
  // Merges onto an earlier head are of no use to anybody.
  const stacked = memory.stack?.of.head === memory.head ? memory.stack.of.results() : new Map<string, StackResult>();
  const inSlots = [...memory.running.values()].filter((run) => !run.abort.signal.aborted);
  // Checks of races take slots, and are not the plan's to cancel.
  const running = inSlots.filter((run) => run.race === undefined);
  const entries = await entriesOf(farm, rows, tasks);
  memory.notes ??= readNotes(await readMeta(db, 'queue.notes'));
  const checks = specsOf(config.checks, config);
  const abouts = await aboutsOf(farm, checks, treesOf(memory, stacked, running));
  const landedTasks = await landedOf(farm, entries, tasks);
  return {
    target: memory.target,
    head: memory.head,
    headTree: memory.headTree,
    entries,
    landedTasks,
    absent: await unsubmittedNeeds(farm, memory, entries, landedTasks),
    stacked,
    runs: await runsOf(farm, memory, recent, stacked, abouts),
    checks: cheapFirst(checks, timed(recent)),
    abouts,
    running,
    retries: config.queue.retries,
    slots: Math.max(1, slotsOf(farm, memory, recent) - (inSlots.length - running.length)),
    batch: config.queue.batch,
    record: await recordOf(farm),
    paused: (await readMeta(db, 'queue.paused')) === '1' || !farm.trust.now.yes || stopped,
    ...(stopped && { stopped }),
    ...(farm.trust.now.yes ? {} : { untrusted: farm.trust.now.why }),
    preflight: memory.asked > 0 || (await isPreflightWanted(farm)),
    notes: memory.notes,
  };
}

/** Only for the branch that new work lands on, which is where agents start from. */
async function isPreflightWanted({ db }: Farm): Promise<boolean> {
  return (await openWork(db)).some(({ state, preflight }) => state === 'active' && preflight !== null);
}

async function entriesOf(farm: Farm, rows: readonly Selectable<EntryRow>[], tasks: TaskRows): Promise<QueueEntry[]> {
  // An entry has the place where its task first stood: otherwise handed-back work would queue behind what it will conflict with again, and
  // 3 of 60 tasks never got through.
  const first = await firstSubmitted(
    farm.db,
    // A branch that is used again long after it landed is new work.
    rows.map((row) => row.task).filter((task) => branchOf(task) === undefined),
  );
  const open = rows.filter((row) => row.ended === null && row.paths !== null);
  const overlaps = overlapsOf(new Map(open.map((row) => [row.id, JSON.parse(row.paths!) as string[]])));
  const waits = await reviewWaits(farm, farm.db);
  return rows.map((row) => {
    const review = waits.get(row.id);
    const { id, task, attempt, sha, after, state, at, priority } = row;
    return {
      id,
      task,
      attempt,
      sha,
      after: JSON.parse(after) as string[],
      state,
      at: first.get(task) ?? at,
      own: ownCheck(tasks.row(task)?.check),
      priority: priority ?? priorityOf(farm, tasks.row(task)?.priority),
      overlaps: overlaps.get(id) ?? 0,
      awaitsYes: row.ended === null && (review !== undefined || awaitsYes(farm.config, row, tasks.row(task))),
      ...(review && { review }),
    };
  });
}

/** The tasks that others may build on: landed ones, also those off the board by now, and those a person marked done. */
async function landedOf({ db }: Farm, entries: readonly QueueEntry[], tasks: TaskRows): Promise<Set<string>> {
  const landed = new Set<string>();
  const needed = new Set(entries.filter((entry) => !ended(entry.state)).flatMap((entry) => entry.after));
  for (const ref of [...needed]) {
    const task = tasks.row(ref);
    if (task) needed.delete(ref);
    if (task && isSatisfied(task)) landed.add(ref);
  }
  for (const [task, { state }] of await newestOf(db, [...needed])) if (state === 'landed') landed.add(task);
  return landed;
}

/** The rank of a priority above the board's default: 0 for the default, and for an unknown one. */
export function priorityOf({ board }: Pick<Farm, 'board'>, name: string | undefined): number {
  const { priorities, defaults } = board.config;
  const rank = (one: string) => priorities.indexOf(one);
  return name === undefined || rank(name) < 0 ? 0 : rank(name) - rank(defaults.priority);
}

/** The trees that matter now: the head, all states of the stack, and those of checks that run or were asked for on earlier heads. */
function treesOf(
  memory: Pick<QueueMemory, 'headTree'> & Partial<Pick<QueueMemory, 'notes'>>,
  stacked: ReadonlyMap<string, StackResult>,
  running: readonly { tree: string }[] = [],
): string[] {
  const clean = [...stacked.values()].flatMap((one) => (one.kind === 'clean' ? [one.tree] : []));
  const trials = (memory.notes?.groups ?? []).flatMap((group) => group.trials).flatMap((trial) => [trial.tree, trial.headTree]);
  return [...new Set([memory.headTree, ...clean, ...running.map((run) => run.tree), ...trials])];
}

/** The check runs on these trees, without those that a person or a second try after a halt has voided. */
export async function runsOf(
  farm: Farm,
  memory: Pick<QueueMemory, 'headTree' | 'forgotten'> & Partial<Pick<QueueMemory, 'notes'>>,
  recent: Awaited<ReturnType<typeof recentRuns>>,
  stacked: ReadonlyMap<string, StackResult> = new Map(),
  abouts: Abouts = new Map(),
): Promise<QueueSnapshot['runs']> {
  const earlier = await earlierRuns(farm, treesOf(memory, stacked), [...new Set(abouts.values())], recent[0]?.id ?? 0);
  const resumed = Number((await readMeta(farm.db, 'queue.resumed')) ?? 0);
  const isVoid = (run: (typeof recent)[number]) => {
    if (run.outcome === 'pass') return false;
    if (run.at <= resumed) return true;
    return run.id <= memory.forgotten && (run.outcome === 'error' || run.tree === aboutOf({ abouts }, memory.headTree, run.check));
  };
  return [...earlier, ...recent].filter((run) => !isVoid(run));
}

const records = keptByVersion<Farm['db'], QueueSnapshot['record']>();

/** The past results of entries: the base rate of risk. Counted again only when an entry has changed. */
function recordOf({ db }: Farm): Promise<QueueSnapshot['record']> {
  return records(db, String(tableVersion(db, 'entry')), async () => {
    const { landed, rejected } = await countEnds(db);
    return { passes: landed, fails: rejected };
  });
}
