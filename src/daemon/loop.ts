import { nextDeadline, planEnds } from '../agent/supervise.ts';
import { append } from '../journal/event.ts';
import { raise, settle } from '../journal/question.ts';
import { adopt } from '../merge/adopt.ts';
import { FurrowError } from '../platform/error.ts';
import { faultPoint } from '../platform/fault.ts';
import { resolve, treeOf } from '../platform/git/refs.ts';
import { splitRef } from '../task/id.ts';
import { planDispatch, stuck } from '../task/plan.ts';
import { type Scan, scan } from '../task/scan.ts';
import { advance, importBoard } from '../task/store.ts';
import { type Published, unfinished } from './acts/publish.ts';
import { canStart } from './agent-settings.ts';
import type { Farm } from './farm.ts';
import type { Feed } from './feed.ts';
import { fingerprint, lookAtAttempts, refFiles } from './observe.ts';
import type { Performer } from './perform.ts';
import { driveQueue, type QueueMemory } from './queue.ts';
import { requeueLandings } from './requeue.ts';
import { dispatchSnapshot, type FarmRows, readRows } from './snapshot.ts';
import { endWork } from './work.ts';

/** What the loop remembers between ticks. All of it can be forgotten: it is read again. */
export interface LoopState {
  boardDirty: boolean;
  scan: Scan | undefined;
  /** The terminals have to be looked at: a server died, or the daemon has just started. */
  panesDirty: boolean;
  /** The last `stop` was told to wait for nobody. */
  stopNow: boolean;
  targetSeen: string;
  /** The target could not be followed, and the human was asked. True at the start: a question of an earlier daemon may be open. */
  targetLost: boolean;
  /** Value of the target branch when last looked at. */
  targetAt: string;
  /** Agents that have been seen to by `openWindows`. */
  readonly windows: Set<string>;
  /** Why publishing waits, and since when it was last tried. */
  publishing: { reason: string | null; triedAt: number; at: string };
  readonly queue: QueueMemory;
}

/** A refused publication is tried again this often, or at once when the target or the index changes. */
const PUBLISH_AGAIN_MS = 3000;

/** Observe, store, plan, act: once. Everything it starts wakes the loop again when it ends. */
export async function tick(farm: Farm, state: LoopState, perform: Performer, feed: Feed): Promise<void> {
  await observeBoard(farm, state);
  const known = await observeTarget(farm, state);
  const rows = await readRows(farm);
  const now = farm.clock.now();
  endAttempts(farm, state, rows, perform, await orphans(farm, state, rows), now);
  openWindows(farm, state, rows);
  writeBoard(rows, perform);
  if (known) {
    await dispatch(farm, state, rows, perform, now);
    await driveQueue(farm, state.queue, perform);
    await publishHead(farm, state, perform, now);
  }
  await settleWork(farm, state, rows, perform, now);
  await feed.pump();
  await faultPoint('tick.after');
}

async function observeBoard(farm: Farm, state: LoopState): Promise<void> {
  if (!state.boardDirty) return;
  state.boardDirty = false;
  const seen = await scan(farm.board, state.scan?.cache);
  state.scan = seen;
  farm.board = seen.board;
  const broken = new Set(seen.quarantined.flatMap((one) => (one.ref ? [one.ref] : [])));
  await farm.db.transaction().execute((tx) => importBoard(tx, seen.tasks, broken, farm.clock.now()));
}

/** Has the user committed to the target? Two `stat` calls when nothing happened, git only when something did. */
async function observeTarget(farm: Farm, state: LoopState): Promise<boolean> {
  try {
    await followTarget(farm, state);
    if (state.targetLost) await farm.db.transaction().execute((tx) => settle(tx, 'target', farm.target, 'found', farm.clock.now()));
    state.targetLost = false;
    return true;
  } catch (error) {
    if (!(error instanceof FurrowError)) throw error;
    state.targetLost = true;
    await farm.db
      .transaction()
      .execute((tx) => raise(tx, { kind: 'target', subject: farm.target, reason: error.message }, farm.clock.now()));
    return false;
  }
}

async function followTarget(farm: Farm, state: LoopState): Promise<void> {
  const seen = fingerprint(...refFiles(farm.repo.gitDir, farm.target));
  if (seen === state.targetSeen && state.queue.head) return;
  state.targetAt = (await resolve(farm.repo, `refs/heads/${farm.target}`)) ?? '';
  const adopted = await adopt(farm.repo, farm.target, { epoch: farm.epoch, requeue: (landings) => requeueLandings(farm, landings) });
  state.targetSeen = seen;
  if (adopted.head === state.queue.head) return;
  state.queue.head = adopted.head;
  state.queue.headTree = await treeOf(farm.repo, adopted.head);
  state.publishing = { reason: null, triedAt: 0, at: '' };
}

/** Attempts whose terminal is gone. Asked only when a server died; until those that were just starting have come up, again. */
async function orphans(farm: Farm, state: LoopState, rows: FarmRows): Promise<ReadonlySet<number>> {
  if (!state.panesDirty) return new Set();
  state.panesDirty = rows.attempts.some((attempt) => attempt.state === 'starting');
  const running = rows.attempts.filter((attempt) => attempt.state === 'running');
  if (running.length === 0) return new Set();
  const pids = new Set(((await farm.terminals.panes()) ?? []).map((pane) => pane.pid));
  return new Set(running.filter((attempt) => !pids.has(attempt.pid ?? 0)).map((attempt) => attempt.id));
}

function endAttempts(farm: Farm, state: LoopState, rows: FarmRows, perform: Performer, lost: ReadonlySet<number>, now: number): void {
  const seen = lookAtAttempts(rows.attempts, farm.places, lost);
  const agents = rows.agents.map((agent) => ({ name: agent.name, state: agent.state, stopNow: state.stopNow }));
  for (const end of planEnds(seen, agents, now)) void perform.start('attempt.end', `attempt:${end.attempt}`, end);
  const next = nextDeadline(seen);
  if (next !== undefined && next > now) wakeAt(farm, next);
}

/** Every agent at hand has a window, also before its first task. */
function openWindows(farm: Farm, state: LoopState, rows: FarmRows): void {
  const active = new Set(rows.work.filter((row) => row.state === 'active').map((row) => row.phase));
  for (const agent of rows.agents) {
    const wanted = active.has(agent.phase) && agent.state !== 'stopped';
    if (!wanted) state.windows.delete(agent.name);
    if (!wanted || state.windows.has(agent.name)) continue;
    state.windows.add(agent.name);
    farm.terminals.windowOf(agent.name).catch((error: unknown) => {
      state.windows.delete(agent.name);
      farm.log.warn({ agent: agent.name, error: (error as Error).message }, 'its window could not be opened');
    });
  }
}

async function dispatch(farm: Farm, state: LoopState, rows: FarmRows, perform: Performer, now: number): Promise<void> {
  const busy = (agent: string) => perform.busy(`agent:${agent}`);
  const snapshot = dispatchSnapshot(farm, rows);
  const agents = snapshot.agents.map((agent) => ({ ...agent, free: agent.free && !busy(agent.name) }));
  const work = new Map(rows.work.map((row) => [row.phase, row]));
  const tasks = new Map(rows.tasks.map((row) => [row.ref, row]));
  for (const { task, agent, attempt } of planDispatch({ ...snapshot, agents }, now)) {
    const { phase, id } = splitRef(task)!;
    const kind = tasks.get(task)?.agent ?? work.get(phase)?.kind ?? farm.config.agent;
    if (!canStart(farm.config, kind)) {
      await park(farm, task, attempt - 1, `furrow cannot start an agent of kind ${kind}`);
      continue;
    }
    void perform.start('attempt.start', `agent:${agent}`, {
      task,
      agent,
      n: attempt,
      kind,
      base: state.queue.head,
      branch: `furrow/${phase}/${agent}/${id}`,
    });
  }
  const later = rows.tasks.filter((row) => row.standing === 'open' && row.not_before > now).map((row) => row.not_before);
  if (later.length > 0) wakeAt(farm, Math.min(...later));
}

/** A task that cannot be started as it is waits for the human, not for luck. */
async function park(farm: Farm, task: string, token: number, reason: string): Promise<void> {
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    await advance(tx, task, { on: 'parked', token }, now, { blocked: 1, block_reason: reason, tell: { blocked: reason } });
    await append(tx, { kind: 'task.parked', task, text: `${task} is parked: ${reason}` }, now);
    await raise(tx, { kind: 'parked', subject: task, reason }, now);
  });
}

function writeBoard(rows: FarmRows, perform: Performer): void {
  for (const row of rows.tasks) if (row.want) void perform.start('board.write', `board:${row.ref}`, { task: row.ref, want: row.want });
}

async function publishHead(farm: Farm, state: LoopState, perform: Performer, now: number): Promise<void> {
  const { publishing, queue } = state;
  const seen = `${queue.head} ${state.targetSeen} ${fingerprint(`${farm.repo.gitDir}/index`)}`;
  const due = publishing.at !== seen || (publishing.reason !== null && now >= publishing.triedAt + PUBLISH_AGAIN_MS);
  if (!queue.head || !due || perform.busy('landing.publish')) return;
  publishing.at = seen;
  publishing.triedAt = now;
  const at = await resolve(farm.repo, `refs/heads/${farm.target}`);
  const before = at && at !== queue.head ? await unfinished(farm) : undefined;
  const first = await farm.db.selectFrom('landing').select('parent').where('published', 'is', null).orderBy('id').executeTakeFirst();
  // A crash, or a killed git, may have come between the branch and the files: then that move is completed first.
  const half = before && at === before.new ? before : undefined;
  const old = at === queue.head ? first?.parent : at;
  if (half) void perform.start('landing.publish', 'landing.publish', half);
  else if (old) void perform.start('landing.publish', 'landing.publish', { old, new: queue.head });
  else publishing.reason = null;
}

export function published(farm: Farm, state: LoopState, result: Published): void {
  state.publishing.reason = result.reason;
  // What was completed may have been an earlier move; the next one is due at once.
  if (result.published) state.publishing.at = '';
  if (result.reason !== null) wakeAt(farm, farm.clock.now() + PUBLISH_AGAIN_MS);
}

/** A phase that can move no further is settled: its agents go home, and whoever waits for it is told. */
async function settleWork(farm: Farm, state: LoopState, rows: FarmRows, perform: Performer, now: number): Promise<void> {
  const publishes = perform.busy('landing.publish') || (state.queue.head !== state.targetAt && state.publishing.reason === null);
  if (publishes || rows.work.every((work) => work.state === 'ended')) return;
  const snapshot = dispatchSnapshot(farm, rows);
  for (const work of rows.work.filter((one) => one.state !== 'ended')) {
    const agents = rows.agents.filter((agent) => agent.phase === work.phase);
    const atWork = agents.some((agent) => agent.attempt !== null || perform.busy(`agent:${agent.name}`));
    const stopped = work.state === 'stopping' && !atWork;
    const unwritten = rows.tasks.some((task) => task.phase === work.phase && task.want !== null);
    const queued = await farm.db
      .selectFrom('entry')
      .select('id')
      .where('ended', 'is', null)
      .where('task', 'like', `${work.phase}/%`)
      .executeTakeFirst();
    const halted = state.queue.halted !== undefined && planDispatch(snapshot, now).length === 0;
    const still = halted ? !atWork : stuck(snapshot, now, atWork || unwritten || queued !== undefined, work.phase);
    if (stopped || (work.until === 'empty' && work.state === 'active' && still)) await endWork(farm, work, perform, stopped, now);
  }
}

let alarm: { at: number; timer: NodeJS.Timeout } | undefined;

/** One timer for the whole daemon: the earliest time at which a decision can change without an event. */
function wakeAt(farm: Farm, at: number): void {
  if (alarm && alarm.at <= at && alarm.at > farm.clock.now()) return;
  clearTimeout(alarm?.timer);
  const timer = setTimeout(
    () => {
      alarm = undefined;
      farm.wake();
    },
    Math.max(1, at - farm.clock.now()),
  );
  timer.unref();
  alarm = { at, timer };
}
