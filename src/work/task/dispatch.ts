import type { Purpose } from '../../journal/rows/task.ts';
import { byId } from './cycles.ts';
import type { Placed } from './derive.ts';
import { type Graph, graphOf, stateIn } from './graph.ts';
import { keepApart, lookedAt } from './keep-apart.ts';
import { openPlaces, type WipLimits } from './wip-limits.ts';

export interface PlanTask extends Placed {
  readonly title: string;
  readonly priority: string;
  readonly class: string;
  readonly due: string | null;
  readonly created: number;
  readonly agent: string | null;
  readonly blockReason: string | null;
  /** The agent or person that its file names. */
  readonly claimedBy: string | null;
  readonly claimedAt: number;
  readonly notBefore: number;
  /** Agent of the last attempt: it gets the rework when it is free. */
  readonly wasHeldBy: string | null;
  readonly reworking: boolean;
  readonly purpose: Purpose;
  /** Patterns of the paths that it means to change. */
  readonly paths: readonly string[];
  /** The agent that gets it only when no other is free. */
  readonly notBy: string | null;
}

export interface PlanAgent {
  readonly name: string;
  readonly phase: string;
  readonly free: boolean;
  readonly paused: boolean;
}

export interface DispatchSnapshot {
  readonly tasks: readonly PlanTask[];
  /** In index order. */
  readonly agents: readonly PlanAgent[];
  readonly activePhases: ReadonlySet<string>;
  readonly paused: boolean;
  /** True for a task that could start but must not now; other tasks get the agent. */
  readonly held?: (task: PlanTask) => boolean;
  /** The person whose claim on the board counts. */
  readonly claim?: (task: PlanTask) => string | undefined;
  /** The limits of each phase's board on tasks under way. */
  readonly wip?: ReadonlyMap<string, WipLimits>;
  /** It is in the queue but waits for something that nobody works on; or it is raced, by entrants that are tasks themselves. */
  readonly vain?: (task: PlanTask) => boolean;
  /** The paths that running attempts hold or wait for, a list for each. */
  readonly inHand?: readonly (readonly string[])[];
  readonly overlap?: (a: readonly string[], b: readonly string[]) => boolean;
  /** Ascending. */
  readonly priorities: readonly string[];
  /** The order is the priority. */
  readonly classes: readonly string[];
}

export interface Dispatch {
  /** A ref. */
  readonly task: string;
  readonly agent: string;
  readonly attempt: number;
}

/** For more agents than this all tasks are sorted: keeping only the best would take longer. */
const FEW = 64;

/** Assigns ready tasks to free agents. Pure: the same snapshot gives the same plan, whatever order the tasks come in. */
export function planDispatch(snapshot: DispatchSnapshot, now: number): Dispatch[] {
  if (snapshot.paused) return [];
  const free = Map.groupBy(
    snapshot.agents.filter((agent) => agent.free && !agent.paused),
    (agent) => agent.phase,
  );
  if (free.size === 0) return [];
  const graph = graphOf(snapshot.tasks);
  if (snapshot.agents.length > FEW) return assign(inOrder(snapshot, graph, now), snapshot);
  const isBefore = ordering(snapshot, graph);
  const places = openPlaces(snapshot);
  // Of 5,000 ready tasks two agents need the best two: finding those takes a tenth of sorting all.
  const most = (agents: readonly PlanAgent[]) => (snapshot.inHand ? lookedAt(agents.length) : agents.length);
  const best = new Map([...free].map(([phase, agents]) => [phase, { most: most(agents), tasks: [] as PlanTask[] }]));
  for (const task of snapshot.tasks) {
    const of = bestOf(best, snapshot, task);
    if (of && mayStart(snapshot, graph, task, now) && !places.full(task)) keepBest(of.tasks, task, of.most, isBefore);
  }
  const chosen = [...best.values()].flatMap((of) => of.tasks).sort((a, b) => (isBefore(a, b) ? -1 : 1));
  return assign(chosen, snapshot);
}

interface Best {
  readonly most: number;
  readonly tasks: PlanTask[];
}

/** The best tasks of the phase, or of a class with a limit: tasks beyond the limit must not take places from others. */
function bestOf(best: Map<string, Best>, { wip }: DispatchSnapshot, task: PlanTask): Best | undefined {
  const all = best.get(task.phase);
  const limit = all && wip?.get(task.phase)?.classWip[task.class]?.limit;
  if (!limit) return all;
  const key = `${task.phase} ${task.class}`;
  const own = best.get(key) ?? { most: Math.min(limit, all.most), tasks: [] };
  best.set(key, own);
  return own;
}

/** Inserts a task among the best so far, if it belongs there. */
function keepBest(tasks: PlanTask[], task: PlanTask, most: number, isBefore: (a: PlanTask, b: PlanTask) => boolean): void {
  let at = tasks.length;
  while (at > 0 && isBefore(task, tasks[at - 1]!)) at--;
  if (at === most) return;
  tasks.splice(at, 0, task);
  if (tasks.length > most) tasks.pop();
}

function mayStart(snapshot: DispatchSnapshot, graph: Graph<PlanTask>, task: PlanTask, now: number): boolean {
  return (
    snapshot.activePhases.has(task.phase) &&
    task.notBefore <= now &&
    stateIn(graph, task) === 'ready' &&
    !snapshot.held?.(task) &&
    !snapshot.claim?.(task)
  );
}

/** The same for a caller without a graph. */
export const ready = (snapshot: DispatchSnapshot, now: number) => inOrder(snapshot, graphOf(snapshot.tasks), now);

/** The tasks that could start now with enough agents, best first. */
export function inOrder(snapshot: DispatchSnapshot, graph: Graph<PlanTask>, now: number): PlanTask[] {
  const keys = keysOf(snapshot, graph);
  // Computed once for each task, not for each comparison: 3,300 ready tasks sort in 3 ms instead of 15.
  const keyed = snapshot.tasks
    .filter((task) => mayStart(snapshot, graph, task, now))
    .map((task) => ({ task, keys: keys.map((key) => key(task)) }));
  return keyed.sort((a, b) => compareKeys(a.keys, b.keys) || byId(a.task, b.task)).map(({ task }) => task);
}

/** The sort keys of tasks: the first key in which two tasks differ decides, and the smaller comes first. */
function keysOf(snapshot: DispatchSnapshot, graph: Graph<PlanTask>): readonly ((task: PlanTask) => number)[] {
  const classes = new Map(snapshot.classes.map((name, n) => [name, n]));
  const priorities = new Map(snapshot.priorities.map((name, n) => [name, n]));
  const standard = classes.get('standard') ?? snapshot.classes.length;
  return [
    // First errands: work in the queue waits for a review, and a race for its entrants.
    (task) => (task.purpose === 'work' ? 1 : 0),
    (task) => (task.reworking ? 0 : 1),
    (task) => classes.get(task.class) ?? standard,
    (task) => (task.due === null ? Number.POSITIVE_INFINITY : Date.parse(task.due)),
    (task) => -(priorities.get(task.priority) ?? -1),
    (task) => -graph.pathLength.get(task)!,
    (task) => task.created,
  ];
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  const n = a.findIndex((key, place) => key !== b[place]);
  return n < 0 ? 0 : a[n]! < b[n]! ? -1 : 1;
}

/** Compares two tasks by who starts first, without storing their keys. */
function ordering(snapshot: DispatchSnapshot, graph: Graph<PlanTask>): (a: PlanTask, b: PlanTask) => boolean {
  const keys = keysOf(snapshot, graph);
  return (a, b) => {
    for (const key of keys) {
      const [of, other] = [key(a), key(b)];
      if (of !== other) return of < other;
    }
    return byId(a, b) < 0;
  };
}

/** The first tasks get the free agents of their phase. Rework gets its former agent first; the others take the rest. */
export function assign(ready: readonly PlanTask[], snapshot: DispatchSnapshot): Dispatch[] {
  const { agents, paused } = snapshot;
  if (paused) return [];
  const places = openPlaces(snapshot);
  const free = new Map<string, PlanAgent[]>();
  for (const agent of agents) {
    if (agent.free && !agent.paused) free.set(agent.phase, [...(free.get(agent.phase) ?? []), agent]);
  }
  const chosen = new Map<PlanTask, string | undefined>();
  const left = new Map([...free].map(([phase, list]) => [phase, list.length]));
  for (const task of keepApart(ready, snapshot)) {
    const count = left.get(task.phase) ?? 0;
    if (count === 0 || places.full(task)) continue;
    left.set(task.phase, count - 1);
    places.take(task);
    chosen.set(task, undefined);
  }
  for (const task of chosen.keys())
    if (task.reworking)
      chosen.set(
        task,
        take(free.get(task.phase)!, (agent) => agent.name === task.wasHeldBy),
      );
  for (const [task, agent] of chosen) chosen.set(task, agent ?? takeRather(free.get(task.phase)!, task.notBy));
  return [...chosen].map(([task, agent]) => ({ task: task.ref, agent: agent!, attempt: task.attempt + 1 }));
}

const takeRather = (agents: PlanAgent[], not: string | null) => take(agents, (agent) => agent.name !== not) ?? take(agents, () => true);

function take(agents: PlanAgent[], wanted: (agent: PlanAgent) => boolean): string | undefined {
  const at = agents.findIndex(wanted);
  return at < 0 ? undefined : agents.splice(at, 1)[0]!.name;
}
