import { limitsNow } from '../../../agents/supervision/provider/store.ts';
import { append } from '../../../journal/event.ts';
import { toAwake, toWall } from '../../../platform/clock.ts';
import { errandOf } from '../../../work/errand/store.ts';
import { raiseQuestion } from '../../../work/question/store.ts';
import { type Dispatch, type DispatchSnapshot, type PlanTask, planDispatch, ready } from '../../../work/task/dispatch.ts';
import { splitRef } from '../../../work/task/id.ts';
import { advance, type Task } from '../../../work/task/store.ts';
import { agentKey } from '../../acts/keys.ts';
import { limitOf } from '../../farm/accounts.ts';
import { missingProgram } from '../../farm/agent-programs.ts';
import { agentSettings, cannotBeTold, lacksFence } from '../../farm/agent-settings.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import { dispatchSnapshot, type FarmRows } from '../../farm/snapshot.ts';
import { beginRace, dueEntrants, missingKind } from '../race/begin.ts';
import type { LoopState } from '../state.ts';
import { holdSplit } from './being-split.ts';
import { budgetSpent } from './budget-spent.ts';
import { hostChooser, mayBeElsewhere } from './choose-host.ts';
import { missingConsent } from './consent.ts';
import { askForKinds, kindReasons, kindsOf, withoutKind } from './kinds.ts';
import { leaseGate } from './lease-gate.ts';
import { lookBeforeWork } from './preflight.ts';
import { heldByRests, resting } from './resting-agents.ts';

/**
 * Gives ready tasks to free agents, as far as providers, the budget and people allow. Answers the agents that wait for nothing but the check
 * of the head.
 */
export async function dispatch(farm: Farm, state: LoopState, rows: FarmRows, perform: Performer, now: number): Promise<readonly string[]> {
  const snapshot = dispatchSnapshot(farm, rows);
  const busy = (agent: string) => perform.busy(agentKey(agent));
  const rest = await resting(farm, now);
  const unproven = await lookBeforeWork(farm, state, rows);
  const rested = snapshot.agents.map((agent) => ({ ...agent, free: agent.free && !busy(agent.name) && !rest.agents.has(agent.name) }));
  const agents = rested.map((agent) => ({ ...agent, free: agent.free && !unproven.has(agent.phase) }));
  const kindOf = kindsOf(farm, rows);
  // When nobody works any more, people still want to know what held the last work back.
  if (snapshot.activePhases.size > 0) state.held.clear();
  for (const { ref, file } of state.scan?.quarantined ?? [])
    if (ref) state.held.set(ref, { code: 'unreadable', text: `${file} cannot be read: furrow list says why`, refused: true });
  await holdSplit(farm, snapshot.tasks, state.held);
  const lost = withoutKind(farm, snapshot, rows);
  for (const [ref, why] of kindReasons(farm, lost)) state.held.set(ref, { ...why, refused: true });
  await askForKinds(farm, rows, lost);
  for (const { ref, phase } of unproven.size > 0 ? ready(snapshot, now) : [])
    if (unproven.has(phase) && !state.held.has(ref))
      state.held.set(ref, { code: 'preflight', text: `${farm.target} itself is checked first` });
  // A plan looks at every task, so it is made only when an agent could take one.
  const idle = agents.some((agent) => agent.free && !agent.paused) && !snapshot.paused;
  const plan = idle ? await planned({ ...snapshot, agents }, state.held, await gateOf(farm, rows, rest.farm), kindOf, now) : [];
  const hostFor = hostChooser(state.queue.hosts.agents, rows);
  for (const { task, agent, attempt } of plan) {
    if (await race(farm, rows.row(task), attempt)) continue;
    const { phase, id } = splitRef(task);
    const kind = kindOf(taskOf(snapshot, task));
    const missing = missingProgram(farm, kind) ?? cannotBeTold(farm.config, kind, rows.row(task)!);
    if (missing) {
      await park(farm, task, attempt - 1, `${missing.message}; ${missing.hint}`);
      continue;
    }
    const branch = `furrow/${phase}/${agent}/${id}`;
    const { purpose } = taskOf(snapshot, task);
    const errand = purpose === 'work' ? undefined : await errandOf(farm.db, task);
    const host = mayBeElsewhere(farm, kind, rows.row(task)!) ? hostFor() : undefined;
    void perform.start('attempt.start', {
      task,
      agent,
      n: attempt,
      kind,
      base: errand?.base ?? state.base,
      branch,
      target: state.baseTarget,
      ...(host !== undefined && { host }),
    });
  }
  for (const [ref, why] of heldByRests(farm, snapshot, plan, rest, now)) if (!state.held.has(ref)) state.held.set(ref, why);
  const later = rows.delayed.filter((row) => row.not_before > now).map((row) => row.not_before);
  const rests = [...rest.agents.values()].map((one) => one.until);
  if (later.length + rests.length > 0) wakeAt(farm, Math.min(...later, ...rests));
  if (unproven.size === 0 || !farm.trust.now.yes) return [];
  const waiting = rested.map((agent) => ({ ...agent, free: agent.free && unproven.has(agent.phase) }));
  return planDispatch({ ...snapshot, agents: waiting }, now).map(({ agent }) => agent);
}

/** Begins the race that a task asks for, in place of an attempt. Its entrants start like other tasks, at the next look. */
async function race(farm: Farm, task: Task | undefined, token: number): Promise<boolean> {
  const kinds = task && (await dueEntrants(farm, task));
  if (!task || !kinds) return false;
  const missing = missingKind(farm, kinds);
  if (missing) await park(farm, task.ref, token - 1, `${missing.message}; ${missing.hint}`);
  else await farm.db.transaction().execute((tx) => beginRace(tx, farm, task, kinds, farm.clock.now()));
  farm.wake();
  return true;
}

const taskOf = ({ tasks }: DispatchSnapshot, ref: string) => tasks.find((task) => task.ref === ref)!;

type Held = { readonly code: string; readonly text: string; readonly for: 'farm' | 'kind' | 'task'; readonly refused?: true };
type Gate = (kind: string, task: string) => Promise<Held | undefined>;

/** The plan without tasks that are held back: those are noted, and the next in order gets the agent. */
async function planned(
  snapshot: DispatchSnapshot,
  held: LoopState['held'],
  gate: Gate,
  kindOf: (task: PlanTask) => string,
  now: number,
): Promise<readonly Dispatch[]> {
  const kinds = new Set<string>();
  for (;;) {
    const plan = planDispatch({ ...snapshot, held: (task) => held.has(task.ref) || kinds.has(kindOf(task)) }, now);
    let again = false;
    for (const { task } of plan) {
      const kind = kindOf(taskOf(snapshot, task));
      const why = await gate(kind, task);
      if (!why) continue;
      // Also tasks without a free agent: they would be held back just the same.
      const same = ready(snapshot, now).filter(
        (one) => why.for === 'farm' || (why.for === 'kind' ? kindOf(one) === kind : one.ref === task),
      );
      for (const { ref } of same) held.set(ref, why);
      if (why.for === 'farm') return [];
      if (why.for === 'kind') kinds.add(kind);
      again = true;
    }
    if (!again) return plan;
  }
}

/** Makes a function that tells what holds a start back, for a kind and a task. Each fact is looked up once for all starts. */
async function gateOf(farm: Farm, rows: FarmRows, rest: { open: boolean; until: number | null; reason: string | null }): Promise<Gate> {
  const limits = await limitsNow(farm.db, farm.clock.now());
  const leases = await leaseGate(farm, rows);
  return async (kind, task) => {
    const { now } = farm.trust;
    if (!now.yes) return { code: 'trust', for: 'farm', text: `${now.why}: furrow trust` };
    const { refused } = farm.isolation;
    if (refused) return { code: 'isolation', for: 'farm', text: `${refused.why}; ${refused.next}`, refused: true };
    const open = lacksFence(farm, kind);
    if (open) return { code: 'isolation', for: 'kind', text: `${open.message}; ${open.hint}`, refused: true };
    if (rest.open) {
      if (rest.until) wakeAt(farm, rest.until);
      return {
        code: 'breaker',
        for: 'farm',
        text: `agents fail again and again, so none is started until ${clock(rest.until && toWall(farm.clock, rest.until))}: ${rest.reason}`,
      };
    }
    const limited = limitOf(agentSettings(farm.config, kind), limits);
    if (limited) {
      const { name, limit } = limited;
      wakeAt(farm, toAwake(farm.clock, limit.until));
      return { code: 'limited', for: 'kind', text: `${name} limits requests until ${clock(limit.until)}: ${limit.text}` };
    }
    return (await budgetSpent(farm, task)) ?? (await missingConsent(farm, kind)) ?? leases(task);
  };
}

const clock = (at: number | null) => (at === null ? 'later' : new Date(at).toISOString().slice(11, 19));

/** Parks a task that cannot start as it is: it needs a person. */
async function park(farm: Farm, task: string, token: number, reason: string): Promise<void> {
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    if (!(await advance(tx, task, { on: 'parked', token }, now, { blocked: 1, block_reason: reason, tell: { blocked: reason } }))) return;
    await append(tx, { kind: 'task.parked', task, text: `${task} is parked: ${reason}` }, now);
    await raiseQuestion(tx, { kind: 'parked', subject: task, reason }, now);
  });
  farm.wake();
}
