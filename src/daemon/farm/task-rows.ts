import { LONGEST_BACKOFF_MS } from '../../agents/agent/after-attempt.ts';
import { noteChanges, takeChanges } from '../../journal/changes.ts';
import { isAmong } from '../../journal/elements.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import type { Clock } from '../../platform/clock.ts';
import { tableVersion } from '../../platform/engine/counted.ts';
import { isSatisfied } from '../../work/task/derive.ts';
import type { PlanTask } from '../../work/task/dispatch.ts';
import { leaveGraph } from '../../work/task/graph.ts';
import { allTasks, type Task, tasksOf } from '../../work/task/store.ts';
import { takenOf } from '../../work/task/taken-over.ts';

/** The attempt that a task's token names. */
interface Newest {
  readonly agent: string;
  readonly branch: string;
  readonly sha: string | null;
}

/** Every task, as a look at the store finds it. */
export interface TaskRows {
  /**
   * Updated in place, like `plan`: a decision is made without a pause, and copying 5,000 rows for every change made forks more expensive.
   */
  readonly tasks: readonly Task[];
  /** The tasks as the planners read them, in the order of `tasks`. */
  readonly plan: readonly PlanTask[];
  /** Each task's newest attempt, by ref; rework goes back to its agent when that is free. */
  readonly newest: ReadonlyMap<string, Newest>;
  /** The tasks whose file must still be written. */
  readonly wanting: readonly Task[];
  /** The tasks that are held back for a while after a crash. */
  readonly delayed: readonly Task[];
  /** Each pair of a phase and a kind of agent that some task asks for, once. */
  readonly askings: readonly Asking[];
  row(ref: string): Task | undefined;
}

/** The phase of a task, and the kind of agent that it asks for itself. */
export type Asking = Pick<PlanTask, 'agent' | 'phase'>;

interface Kept {
  version: string;
  readonly tasks: Task[];
  /** The same array as long as the dependencies stay the same: the graph of the tasks is kept by it. */
  plan: PlanTask[];
  /** Changes together with `plan`. */
  askings: readonly Asking[];
  readonly newest: Map<string, Newest>;
  /** Index of each task, by ref. */
  readonly at: Map<string, number>;
  /** Refs of the few tasks that every tick looks at: a loop over 5,000 rows took a tenth of a landing's time. */
  readonly wanting: Set<string>;
  readonly delayed: Set<string>;
}

interface Source {
  readonly db: Db;
  readonly clock: Pick<Clock, 'awake'>;
}

/**
 * Makes a reader that reads only what was written since its last look: with 5,000 tasks a whole reading takes 40 ms, and one landing writes
 * to its task about fifteen times.
 */
export function taskReader(source: Source): () => Promise<TaskRows> {
  const { db } = source;
  let kept: Kept | undefined;
  let last: Promise<unknown> | undefined;
  const readOnce = async () => {
    const version = `${tableVersion(db, 'task')} ${tableVersion(db, 'attempt')}`;
    const known = kept;
    if (known?.version === version) return view(known);
    // If this fails, the notes are lost, and the next look reads everything.
    kept = undefined;
    const changed = await takeChanges(db);
    const now = known && (await patch(source, known, changed)) ? known : await readAll(source);
    // Writes that happened meanwhile are counted, and make the next look read again.
    now.version = version;
    kept = now;
    return view(now);
  };
  return () => {
    // One at a time: when the second asks, the rows do not have the changes yet that the first has taken.
    const look = (last ?? noteChanges(db)).then(readOnce);
    last = look.catch(() => {});
    return look;
  };
}

function view({ tasks, plan, askings, newest, at, wanting, delayed }: Kept): TaskRows {
  const row = (ref: string) => {
    const index = at.get(ref);
    return index === undefined ? undefined : tasks[index];
  };
  const rows = (refs: Iterable<string>) => [...refs].map((ref) => row(ref)!);
  return { tasks, plan, askings, newest, row, wanting: rows(wanting), delayed: rows(delayed) };
}

async function readAll({ db, clock }: Source): Promise<Kept> {
  const latest = latestStart(clock);
  const tasks = await allTasks(db);
  const newest = new Map((await newestOf(db)).map((row) => [row.task, row]));
  const plan = tasks.map((row) => planTask(row, newest, latest));
  const at = new Map(tasks.map((row, index) => [row.ref, index]));
  const all: Kept = { version: '', tasks, plan, askings: askingsOf(plan), newest, at, wanting: new Set(), delayed: new Set() };
  for (const row of tasks) sort(all, row);
  return all;
}

/** `false` when a task went, or came in between others: then everything is read. */
async function patch({ db, clock }: Source, known: Kept, refs: readonly string[]): Promise<boolean> {
  const latest = latestStart(clock);
  // An attempt at a branch without a task has no row.
  const rows = await tasksOf(db, refs);
  const attempts = await newestOf(db, refs);
  const found = new Set(rows.map((row) => row.ref));
  const added = rows.filter((row) => !known.at.has(row.ref)).sort(byOrder);
  const [last, first] = [known.tasks.at(-1), added[0]];
  if ((last && first && byOrder(last, first) > 0) || refs.some((ref) => known.at.has(ref) && !found.has(ref))) return false;
  for (const ref of refs) known.newest.delete(ref);
  for (const row of attempts) known.newest.set(row.task, row);
  for (const row of added) append(known, row, latest);
  let sameGraph = added.length === 0;
  for (const row of rows) {
    const index = known.at.get(row.ref)!;
    const [before, plan] = [known.tasks[index]!, known.plan[index]!];
    known.tasks[index] = row;
    Object.assign(plan, planTask(row, known.newest, latest));
    sort(known, row);
    const landed = !isSatisfied(before) && isSatisfied(row) && isAsked(before, row);
    sameGraph = sameGraph && (landed ? leaveGraph(known.plan, plan) : standsAlike(before, row));
  }
  if (!sameGraph) {
    known.plan = known.plan.slice();
    known.askings = askingsOf(known.plan);
  }
  return true;
}

/** The order of `allTasks`. */
const byOrder = (a: Task, b: Task) => a.seq - b.seq || (a.ref < b.ref ? -1 : 1);

function append({ tasks, plan, at, newest }: Kept, row: Task, latest: number): void {
  at.set(row.ref, tasks.length);
  tasks.push(row);
  plan.push(planTask(row, newest, latest));
}

const askingsOf = (plan: readonly PlanTask[]): Asking[] => [
  ...new Map(plan.map((task) => [`${task.phase} ${task.agent ?? ''}`, task])).values(),
];

function sort({ wanting, delayed }: Kept, row: Task): void {
  if (row.want !== null) wanting.add(row.ref);
  else wanting.delete(row.ref);
  if (row.standing === 'open' && row.not_before > 0) delayed.add(row.ref);
  else delayed.delete(row.ref);
}

/**
 * True when a change of a task leaves the derived tables as they are. They hold who waits for whom and for which kind of agent; the start
 * or end of an attempt changes nothing there.
 */
function standsAlike(a: Task, b: Task): boolean {
  return isSatisfied(a) === isSatisfied(b) && isAsked(a, b);
}

/** True when it waits for the same tasks and the same kind of agent. */
function isAsked(a: Task, b: Task): boolean {
  return a.agent === b.agent && a.depends_on === b.depends_on && a.phase === b.phase && a.id === b.id;
}

const attempts = (db: Db | Tx) =>
  db
    .selectFrom('attempt')
    .innerJoin('task', (join) => join.onRef('task.ref', '=', 'attempt.task').onRef('task.attempt', '=', 'attempt.n'))
    .select(['attempt.task as task', 'attempt.agent as agent', 'attempt.branch as branch', 'attempt.sha as sha'])
    .orderBy('attempt.task');

const newestAt = statement((db, { list }: { list: string }) =>
  attempts(db)
    .where(isAmong(db, 'task.ref', list))
    .compile(),
);

/** Of these tasks, or of all. */
const newestOf = async (db: Db, refs?: readonly string[]) =>
  refs === undefined ? attempts(db).execute() : (await newestAt(db, { list: JSON.stringify(refs) })).rows;

const latestStart = (clock: Source['clock']) => clock.awake() + LONGEST_BACKOFF_MS;

function planTask(row: Task, newest: ReadonlyMap<string, Newest>, latest: number): PlanTask {
  return {
    ref: row.ref,
    id: row.id,
    phase: row.phase,
    title: row.title,
    status: row.status,
    priority: row.priority,
    class: row.class,
    due: row.due,
    created: row.created,
    dependsOn: JSON.parse(row.depends_on) as string[],
    agent: row.agent,
    blocked: row.blocked === 1,
    blockReason: row.block_reason,
    claimedBy: row.claimed_by,
    claimedAt: row.claimed_at,
    standing: row.standing,
    missing: row.missing,
    taken: takenOf(row)?.by ?? null,
    attempt: row.attempt,
    // A time from a scale that ran ahead, before the machine was restarted, holds nobody back.
    notBefore: row.not_before > latest ? 0 : row.not_before,
    wasHeldBy: newest.get(row.ref)?.agent ?? null,
    reworking: row.rework !== null,
    paths: JSON.parse(row.paths) as string[],
    purpose: row.purpose,
    notBy: row.not_by,
  };
}
