import { nextDeadline, planEnds, type SeenAttempt } from '../agents/supervision/ends.ts';
import type { SeenProcess } from '../agents/supervision/process.ts';
import { isOver } from '../agents/supervision/record.ts';
import { faultPoint } from '../platform/fault.ts';
import { givenUp } from '../work/attempt/said.ts';
import { startedWith } from './farm/agent-settings.ts';
import { wakeAt } from './farm/alarm.ts';
import type { Feed } from './farm/feed.ts';
import type { Performer } from './farm/performer.ts';
import { type FarmRows, readRows } from './farm/snapshot.ts';
import type { Agents } from './host/agents/agents.ts';
import type { HangingWatch } from './host/checks/hanging.ts';
import type { Host } from './host/host.ts';
import { goneHolders } from './host/lease-holders.ts';
import { lookAtAttempts } from './host/look-at-attempts.ts';
import type { RadarWatch } from './host/radar.ts';
import { observeBoard } from './leader/board/observe.ts';
import { writeBoard } from './leader/board/write.ts';
import { followLeases } from './leader/leases.ts';
import { driveNotices } from './leader/notices.ts';
import { checkHead, driveQueue } from './leader/queue/drive.ts';
import { switchTarget } from './leader/queue/switch-target.ts';
import { driveRaces } from './leader/race/drive.ts';
import { driveSlowChecks } from './leader/slow-checks.ts';
import { followSplits } from './leader/split.ts';
import type { LoopState } from './leader/state.ts';
import { holdStill } from './leader/stop.ts';
import { followOthers } from './leader/target/other-targets.ts';
import { pushPublished } from './leader/target/push.ts';
import { observeBase, observeTarget, publishHead } from './leader/target/target.ts';
import { observeTrust } from './leader/trust.ts';
import { askAboutPatterns } from './leader/unmatched.ts';
import { dispatch } from './leader/work/dispatch.ts';
import { settleWork } from './leader/work/settle-work.ts';
import type { Post } from './post.ts';

/** The parts of the daemon that a tick drives. */
export interface Driven {
  readonly perform: Performer;
  readonly feed: Feed;
  readonly radar: RadarWatch;
  readonly agents: Agents;
  readonly hanging: HangingWatch;
  readonly post: Pick<Post, 'look'>;
}

/** Observe, store, plan, act: once. Everything it starts wakes the loop again when it ends. */
export async function tick(farm: Host, state: LoopState, { perform, feed, radar, agents, hanging, post }: Driven): Promise<void> {
  // Each step by itself: a full disk under one must not leave the others undone, agents unsupervised, a `stop` unheard.
  const troubles: unknown[] = [];
  const step = <T>(work: Promise<T>, otherwise: T) =>
    work.catch((error: unknown) => {
      troubles.push(error);
      return otherwise;
    });
  await step(observeBoard(farm, state), undefined);
  await step(observeInputs(farm), undefined);
  await step(observeTrust(farm, state), undefined);
  if (farm.foreign) {
    await feed.pump();
    if (troubles.length > 0) throw troubles[0];
    return;
  }
  await step(perform.recoverHeld(), undefined);
  await step(switchTarget(farm, state, perform), undefined);
  const known = await step(observeTarget(farm, state, perform), false);
  await step(observeBase(farm, state, known), undefined);
  await step(followSplits(farm), undefined);
  const rows = await readRows(farm);
  state.pids = [
    ...rows.attempts.filter((row) => row.state === 'running' && row.pid !== null).map((row) => (row.pid_start ? row.pid : null)),
    ...rows.leases.flatMap(({ pid }) => (pid === null ? [] : [pid])),
  ];
  await step(followLeases(farm, rows.leases, goneHolders(farm, rows.leases)), undefined);
  const now = farm.clock.awake();
  const looked = lookAtAttempts(rows.attempts, farm.places, await step(orphans(farm, state, rows), new Set<number>()));
  const goesOn = await step(
    agents.follow(rows, looked, (error) => troubles.push(error)),
    new Set<number>(),
  );
  await step(post.look(rows), undefined);
  endAttempts(farm, state, { rows, seen: seenAttempts(farm, rows, looked, goesOn) }, perform, now);
  writeBoard(farm, state, rows, perform);
  if (farm.stopped() === undefined) await decide(farm, state, { rows, known, now }, { perform, radar }, step);
  else {
    await step(holdStill(farm, state), undefined);
    if (known && state.queue.asked > 0) await step(checkHead(farm, state.queue, perform), undefined);
  }
  await step(hanging.look(), undefined);
  const home = await step(settleWork(farm, state, rows, perform, now), []);
  for (const agent of home) await step(farm.terminals.close(agent), undefined);
  if (farm.stopped() === undefined) await step(driveNotices(farm, perform), undefined);
  await feed.pump();
  if (troubles.length > 0) throw troubles[0];
  await perform.review(now);
  await faultPoint('tick.after');
}

interface Observed {
  readonly rows: FarmRows;
  /** The target is known. */
  readonly known: boolean;
  readonly now: number;
}

/** Decides what begins now, and begins it. Not in a farm that a person stopped. */
async function decide(
  farm: Host,
  state: LoopState,
  { rows, known, now }: Observed,
  { perform, radar }: Pick<Driven, 'perform' | 'radar'>,
  step: <T>(work: Promise<T>, otherwise: T) => Promise<T>,
): Promise<void> {
  if (state.cut.signal.aborted) state.cut = new AbortController();
  openWindows(farm, state, rows);
  if (state.base) await step(dispatch(farm, state, rows, perform, now), undefined);
  if (known) {
    await step(askAboutPatterns(farm, state), undefined);
    await step(driveQueue(farm, state.queue, perform), undefined);
    await step(driveRaces(farm, state, perform), undefined);
    await step(publishHead(farm, state, perform, now), undefined);
    await step(pushPublished(farm, state, perform, now), undefined);
    await step(driveSlowChecks(farm, state, perform), undefined);
  }
  await step(followOthers(farm, state, perform, now), undefined);
  radar.follow(rows);
}

/** Reads the inputs: a configuration that came into force since the last tick holds for this whole tick. */
async function observeInputs(farm: Host): Promise<void> {
  const waitMs = await farm.inputs.look();
  if (waitMs > 0) wakeAt(farm, farm.clock.awake() + Math.ceil(waitMs));
}

/** Attempts whose terminal is gone. Asked only when a server died; until those that were just starting have come up, again. */
async function orphans(farm: Host, state: LoopState, rows: FarmRows): Promise<ReadonlySet<number>> {
  if (!state.panesDirty) return new Set();
  // A server that does not answer is no server that is gone: then this is asked again.
  const pids = new Set(((await farm.terminals.panes()) ?? []).map((pane) => pane.pid));
  state.panesDirty = rows.attempts.some((attempt) => attempt.state === 'starting');
  const running = rows.attempts.filter((attempt) => attempt.state === 'running');
  return new Set(running.filter((attempt) => !pids.has(attempt.pid ?? 0)).map((attempt) => attempt.id));
}

/** The running attempts with all that decides whether they end. */
function seenAttempts(farm: Host, rows: FarmRows, looked: readonly SeenProcess[], goesOn: ReadonlySet<number>): SeenAttempt[] {
  const attempts = new Map(rows.attempts.map((row) => [row.id, row]));
  return looked.map((one) => {
    const attempt = attempts.get(one.id)!;
    const record = rows.supervision.get(one.id);
    const { driver, settings } = startedWith(farm.config, attempt);
    const turns = driver.ends(settings) === 'turn';
    return {
      ...one,
      turns,
      // One that ends by its exit is ended before that only where the money for it is used up.
      turnOver: record !== undefined && isOver(record) && (turns || record.turn?.do === 'budget'),
      goesOn: goesOn.has(one.id),
      taken: isTaken(rows, attempt),
    };
  });
}

/** True when a person took its task over, or gave it up. */
function isTaken(rows: FarmRows, attempt: FarmRows['attempts'][number]): boolean {
  return (rows.row(attempt.task)?.taken ?? null) !== null || givenUp(attempt) !== undefined;
}

interface Seen {
  readonly rows: FarmRows;
  readonly seen: readonly SeenAttempt[];
}

function endAttempts(farm: Host, state: LoopState, { rows, seen }: Seen, perform: Performer, now: number): void {
  const agents = rows.agents.map((agent) => ({ name: agent.name, state: agent.state, stopNow: state.stopNow }));
  for (const end of planEnds(seen, agents, now)) void perform.start('attempt.end', end);
  const stopping = new Set(rows.agents.filter((agent) => agent.state === 'stopping').map((agent) => agent.name));
  for (const attempt of rows.attempts)
    if (attempt.state === 'starting' && (stopping.has(attempt.agent) || isTaken(rows, attempt))) state.starting.get(attempt.agent)?.abort();
  const next = nextDeadline(seen);
  if (next !== undefined && next > now) wakeAt(farm, next);
}

/** About the pace of ticks. */
const WINDOW_MS = 10_000;

/** Every agent at hand has a window, also before its first task. */
function openWindows(farm: Host, state: LoopState, rows: FarmRows): void {
  const active = new Set(rows.work.filter((row) => row.state === 'active').map((row) => row.phase));
  for (const agent of rows.agents) {
    const wanted = active.has(agent.phase) && agent.state !== 'stopped';
    if (!wanted) {
      state.windows.delete(agent.name);
      void farm.failing.dropped(`window:${agent.name}`);
    }
    if (!wanted || state.windows.has(agent.name)) continue;
    state.windows.add(agent.name);
    const doing = { key: `window:${agent.name}`, what: `open the window of ${agent.name}`, next: 'furrow doctor', agent: agent.name };
    farm.terminals.windowOf(agent.name).then(
      () => farm.failing.worked(doing.key),
      (error: Error) => {
        state.windows.delete(agent.name);
        farm.log.warn({ agent: agent.name, error: error.message }, 'its window could not be opened');
        return farm.failing.failed(doing, error, WINDOW_MS);
      },
    );
  }
}
