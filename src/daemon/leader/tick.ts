import { nextDeadline, planEnds, type SeenAttempt } from '../../agents/supervision/ends.ts';
import { limitsNow } from '../../agents/supervision/provider/store.ts';
import { isOver } from '../../agents/supervision/record.ts';
import { faultPoint } from '../../platform/fault.ts';
import { givenUp } from '../../work/attempt/end-report.ts';
import { openQuestions } from '../../work/question/store.ts';
import { startedWith } from '../farm/agent-settings.ts';
import { wakeAt } from '../farm/alarm.ts';
import { conflictRows } from '../farm/conflict-rows.ts';
import type { Farm } from '../farm/farm.ts';
import type { Feed } from '../farm/feed.ts';
import { errorOf, type HostSide, type Observation } from '../farm/host-side.ts';
import type { Performer } from '../farm/performer.ts';
import { type AgentRows, type FarmRows, readRows } from '../farm/snapshot.ts';
import { observeBoard } from './board/observe.ts';
import { writeBoard } from './board/write.ts';
import { followLeases } from './leases.ts';
import { driveNotices } from './notices.ts';
import { checkHead, driveQueue } from './queue/drive.ts';
import { switchTarget } from './queue/switch-target.ts';
import { driveRaces } from './race/drive.ts';
import { driveSlowChecks } from './slow-checks.ts';
import { followSplits } from './split.ts';
import type { LoopState } from './state.ts';
import { holdStill } from './stop.ts';
import { followOthers } from './target/other-targets.ts';
import { pushPublished } from './target/push.ts';
import { observeBase, observeTarget, publishHead } from './target/target.ts';
import { observeTrust } from './trust.ts';
import { askAboutPatterns } from './unmatched-patterns.ts';
import { dispatch } from './work/dispatch.ts';
import { settleWork } from './work/settle-work.ts';

/** All that the leader's tick drives beside the farm. */
interface Driven {
  readonly perform: Performer;
  readonly feed: Pick<Feed, 'pump'>;
  /** The machine that the agents are on. */
  readonly host: HostSide;
  /** Looks at the messages on their way, with rows that were just read. */
  readonly post: { look(rows: AgentRows): Promise<void> };
}

/** Observe, store, plan, act: once. Everything it starts wakes the loop again when it ends. */
export async function tick(farm: Farm, state: LoopState, { perform, feed, host, post }: Driven): Promise<void> {
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
  const { agents, attempts, supervision, leases } = rows;
  const now = farm.clock.awake();
  const questions = attempts.length === 0 ? [] : await openQuestions(farm.db);
  const targets = [state.queue.target, ...state.others.keys()];
  const limited = [...(await limitsNow(farm.db, farm.clock.now())).keys()];
  const seen = await step(host.look({ agents, attempts, supervision, leases, targets, questions, limited }), NOTHING_SEEN);
  troubles.push(...seen.troubles.map(errorOf));
  await step(followLeases(farm, leases, new Set(seen.goneHolders)), undefined);
  for (const relaunch of seen.relaunches) void perform.start('attempt.relaunch', relaunch);
  await step(post.look(rows), undefined);
  endAttempts(farm, state, { rows, seen: seenAttempts(farm, rows, seen) }, perform, now);
  void writeBoard(farm, state, rows, perform);
  if (farm.stopped() === undefined) await decide(farm, state, { rows, known, now }, { perform, host }, step);
  else {
    await step(holdStill(farm, state), undefined);
    if (known && state.queue.asked > 0) await step(checkHead(farm, state.queue, perform), undefined);
  }
  await step(host.followChecks(), undefined);
  const home = await step(settleWork(farm, state, rows, perform, now), []);
  for (const agent of home) await step(host.sendHome(agent), undefined);
  if (farm.stopped() === undefined) await step(driveNotices(farm, state.queue, perform), undefined);
  await feed.pump();
  if (troubles.length > 0) throw troubles[0];
  await perform.review(now);
  await faultPoint('tick.after');
}

/** A look at the host that failed as a whole: nothing of it is known, so nothing is ended by it. */
const NOTHING_SEEN: Observation = { attempts: [], goneHolders: [], goesOn: [], relaunches: [], troubles: [] };

interface Observed {
  readonly rows: FarmRows;
  /** The target is known. */
  readonly known: boolean;
  readonly now: number;
}

/** Decides what begins now, and begins it. Not in a farm that a person stopped. */
async function decide(
  farm: Farm,
  state: LoopState,
  { rows, known, now }: Observed,
  { perform, host }: Pick<Driven, 'perform' | 'host'>,
  step: <T>(work: Promise<T>, otherwise: T) => Promise<T>,
): Promise<void> {
  if (state.cut.signal.aborted) state.cut = new AbortController();
  host.keepWindows(atHand(rows));
  const next = state.base ? await step(dispatch(farm, state, rows, perform, now), []) : [];
  host.fillAhead(
    rows.agents.filter(({ name }) => next.includes(name)).map(({ worktree }) => worktree),
    state.base,
  );
  if (known) {
    await step(askAboutPatterns(farm, state), undefined);
    await step(driveQueue(farm, state.queue, perform), undefined);
    await step(driveRaces(farm, state, perform), undefined);
    await step(publishHead(farm, state, perform, now), undefined);
    await step(pushPublished(farm, state, perform, now), undefined);
    await step(driveSlowChecks(farm, state, perform), undefined);
  }
  await step(followOthers(farm, state, perform, now), undefined);
  host.followConflicts(conflictRows(farm, state.queue, rows));
}

/** Reads the inputs: a configuration that came into force since the last tick holds for this whole tick. */
async function observeInputs(farm: Farm): Promise<void> {
  const waitMs = await farm.inputs.look();
  if (waitMs > 0) wakeAt(farm, farm.clock.awake() + Math.ceil(waitMs));
}

/** The running attempts with all that decides whether they end. */
function seenAttempts(farm: Farm, rows: FarmRows, seen: Observation): SeenAttempt[] {
  const attempts = new Map(rows.attempts.map((row) => [row.id, row]));
  const goesOn = new Set(seen.goesOn);
  return seen.attempts.map((one) => {
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

function endAttempts(farm: Farm, state: LoopState, { rows, seen }: Seen, perform: Performer, now: number): void {
  const agents = rows.agents.map((agent) => ({ name: agent.name, state: agent.state, stopNow: state.stopNow }));
  for (const end of planEnds(seen, agents, now)) void perform.start('attempt.end', end);
  const stopping = new Set(rows.agents.filter((agent) => agent.state === 'stopping').map((agent) => agent.name));
  for (const attempt of rows.attempts)
    if (attempt.state === 'starting' && (stopping.has(attempt.agent) || isTaken(rows, attempt))) state.starting.get(attempt.agent)?.abort();
  const next = nextDeadline(seen);
  if (next !== undefined && next > now) wakeAt(farm, next);
}

/** The agents of work that goes on, which have windows. */
function atHand(rows: FarmRows): string[] {
  const active = new Set(rows.work.filter((row) => row.state === 'active').map((row) => row.phase));
  return rows.agents.filter((agent) => active.has(agent.phase) && agent.state !== 'stopped').map(({ name }) => name);
}
