import { watchTime } from '../../platform/clock.ts';
import { isHeldByPerson, isSatisfied, type TaskState } from './derive.ts';
import { assign, type DispatchSnapshot, inOrder, type PlanTask } from './dispatch.ts';
import { cycleText, type Graph, graphOf, stateIn } from './graph.ts';
import { DEFAULT_PHASE } from './id.ts';
import { openPlaces } from './wip-limits.ts';

/** The reason why something does not happen, with the name of what it waits for. */
export interface Reason {
  readonly code: string;
  readonly text: string;
  readonly refs: string[];
  /** The telling lines of a failed check's output. */
  readonly lines?: readonly string[];
}

const DOING: Record<TaskState, string> = {
  waiting: 'waits itself',
  ready: 'has not started',
  leased: 'is being worked on',
  submitted: 'is in the queue',
  parked: 'is parked',
  blocked: 'is blocked',
  landed: 'has landed',
  archived: 'is archived',
};

/**
 * The reasons for every task that is neither running nor over. A task that the plan starts now has none. `ahead`: what to add to `now` for
 * the time of day.
 */
export function explain(snapshot: DispatchSnapshot, now: number, ahead = 0): Map<string, Reason[]> {
  const time = { now, ahead };
  const graph = graphOf(snapshot.tasks);
  const ready = inOrder(snapshot, graph, now);
  const starting = new Set(assign(ready, snapshot).map((dispatch) => dispatch.task));
  const places = openPlaces(snapshot);
  for (const task of ready) if (starting.has(task.ref)) places.take(task);
  const queue = new Map(ready.map((task, n) => [task, n]));
  const reasons = new Map<string, Reason[]>();
  const crowd = new Map<string, Reason>();
  for (const task of snapshot.tasks) {
    const state = stateIn(graph, task);
    if (task.standing === 'leased' || isSatisfied(task)) {
      if (task.missing !== null) reasons.set(task.ref, [fileGone(task.missing)]);
      continue;
    }
    const held = heldBack(snapshot, task, state, graph, time);
    if (task.missing !== null) held.unshift(fileGone(task.missing));
    const full = held.length === 0 && !starting.has(task.ref) ? places.full(task) : undefined;
    if (full) held.push({ code: 'wip', text: `${full}, by the limits in config.yml of the board`, refs: [] });
    if (held.length === 0 && !starting.has(task.ref)) held.push(noAgent(snapshot, task, crowd, queue.get(task) ?? 0, starting.size));
    reasons.set(task.ref, held);
  }
  return reasons;
}

function heldBack(
  snapshot: DispatchSnapshot,
  task: PlanTask,
  state: TaskState,
  graph: Graph<PlanTask>,
  { now, ahead }: { now: number; ahead: number },
): Reason[] {
  if (task.standing === 'submitted') return [{ code: 'in-queue', text: 'is in the queue', refs: [] }];
  if (state === 'parked') return [{ code: 'parked', text: `parked${task.blockReason ? `: ${task.blockReason}` : ''}`, refs: [] }];
  const reasons: Reason[] = [];
  if (task.blocked) reasons.push({ code: 'blocked', text: `blocked${task.blockReason ? `: ${task.blockReason}` : ''}`, refs: [] });
  if (isHeldByPerson(task)) {
    reasons.push({
      code: 'held-by-person',
      text: task.taken
        ? `${task.taken} took it over; furrow give ${task.id} gives it back, furrow submit --task ${task.id} hands it in`
        : `is ${task.status} on the board, and no agent of furrow has it: a person holds it`,
      refs: [],
    });
  }
  // A task that was taken over has the same person's claim on the board.
  const claimedBy = task.taken ? undefined : snapshot.claim?.(task);
  if (claimedBy) {
    const text = `claimed by ${claimedBy} on the board; furrow edit ${task.id} --release gives it back`;
    reasons.push({ code: 'claimed', text, refs: [] });
  }
  reasons.push(...dependencyReasons(task, graph));
  if (!snapshot.activePhases.has(task.phase)) {
    const start = task.phase === DEFAULT_PHASE ? 'furrow work' : `furrow work ${task.phase}`;
    reasons.push({ code: 'phase-idle', text: `nobody works on phase ${task.phase} (start it: ${start})`, refs: [] });
  }
  const until = task.notBefore + ahead;
  if (task.notBefore > now) reasons.push({ code: 'held-back', text: `waits until ${watchTime(until, until)} after a crash`, refs: [] });
  if (reasons.length === 0 && snapshot.paused) reasons.push({ code: 'paused', text: 'the farm is paused', refs: [] });
  return reasons;
}

function dependencyReasons(task: PlanTask, graph: Graph<PlanTask>): Reason[] {
  const reasons: Reason[] = [];
  const cycle = graph.inCycle.get(task);
  if (cycle) reasons.push({ code: 'cycle', text: `part of the cycle ${cycleText(cycle)}`, refs: cycle.map((each) => each.ref) });
  for (const name of graph.missing.get(task) ?? []) {
    const several = graph.index.byId.get(name) === null;
    reasons.push({
      code: 'missing',
      text: `waits for ${name}, which ${several ? 'several phases have: write phase/id' : 'does not exist'}`,
      refs: [],
    });
  }
  for (const other of graph.needs.get(task) ?? []) {
    if (cycle?.includes(other)) continue;
    const name = other.phase === task.phase ? other.id : other.ref;
    const knot = graph.inCycle.get(other);
    const doing =
      other.missing !== null && other.standing === 'open'
        ? 'has no file on the board'
        : knot
          ? `is part of the cycle ${cycleText(knot)}`
          : DOING[stateIn(graph, other)];
    reasons.push({ code: 'waits-for', text: `waits for ${name}, which ${doing}`, refs: [other.ref] });
  }
  return reasons;
}

function fileGone(since: number): Reason {
  return { code: 'no-file', text: `its file is not on the board since ${new Date(since).toISOString()}`, refs: [] };
}

/** Counted once a phase: with 10,000 ready tasks, nearly all have this reason. */
function noAgent(snapshot: DispatchSnapshot, task: PlanTask, crowd: Map<string, Reason>, place: number, starting: number): Reason {
  const known = crowd.get(task.phase);
  if (known) return known;
  const agents = snapshot.agents.filter((agent) => agent.phase === task.phase);
  const free = agents.filter((agent) => agent.free && !agent.paused).length;
  const paused = agents.filter((agent) => agent.free && agent.paused).length;
  if (free > 0)
    return { code: 'queued', text: `${starting} of the ${place} tasks before it start now and take every free agent`, refs: [] };
  const text =
    agents.length === 0
      ? `phase ${task.phase} has no agents`
      : `no agent is free: ${agents.length - paused} of ${agents.length} at work${paused > 0 ? `, ${paused} paused` : ''}`;
  const reason = { code: 'no-agent', text, refs: [] };
  crowd.set(task.phase, reason);
  return reason;
}
