import type { SessionWatch } from '../platform/engine/postgres/one-session.ts';
import { renewLog } from '../platform/engine/sqlite.ts';
import { makePlaces } from '../platform/places.ts';
import { type BoardWatch, watchBoard } from '../work/task/watch.ts';
import { watchDaemonFiles } from './host/daemon-files.ts';
import { putFurrowOnPath } from './host/furrow-on-path.ts';
import type { HostLook } from './host/look.ts';
import { watchExits } from './host/look-at-attempts.ts';
import { machineFacts } from './host/machine-facts.ts';
import { repairRefs } from './host/repair-refs.ts';
import { watchRepository } from './host/repository-gone.ts';
import { sweeper } from './host/sweep.ts';
import { troubleNotices } from './host/trouble-notice.ts';
import { observeBoard } from './leader/board/observe.ts';
import { followHealth } from './leader/health.ts';
import { prune } from './leader/retention.ts';
import type { LoopState } from './leader/state.ts';
import type { WholeFarm } from './whole-farm.ts';

/** A look that costs a few `stat` calls, so that a lost hint costs a second and no more. */
const SWEEP_MS = 1000;
/** Sweeps between two looks for folders of the board that nobody told us of. */
const FOLLOW_EVERY = 10;
const OWN_FILES = { key: 'guard', what: "look after the daemon's own files", next: 'furrow doctor' };
const SWEEP = { key: 'sweep', what: 'look for changes that no watcher reported', next: 'furrow doctor' };

const TROUBLE = { key: 'trouble', what: 'report what cannot be stored', next: 'furrow doctor' };
const REFS = { key: 'refs', what: 'look for refs whose commits are gone', next: 'furrow doctor' };
const HEALTH = { key: 'health', what: 'look at this machine', next: 'furrow doctor' };
const HEALTH_MS = 60_000;
const BOARD = { key: 'board', what: 'read the whole board', next: 'furrow doctor' };
const BOARD_MS = 10_000;
const PRUNE = { key: 'prune', what: 'forget what is too old to be kept', next: 'furrow doctor' };
const PRUNE_MS = 3600_000;

/** Where the daemon of a repository is found. */
export interface Own {
  readonly lock: string;
  readonly socket: string;
  /** Listens to what becomes of the database of the store. */
  readonly followStore: (watch: SessionWatch) => void;
}

interface Repairs {
  /** Listens again after the socket was removed. */
  socket(): Promise<void>;
  /** Another daemon has taken over. */
  replaced(): void;
  isGone(): boolean;
  /** The repository was removed or moved. */
  gone(): void;
}

interface Looked {
  readonly state: LoopState;
  readonly host: Pick<HostLook, 'swept'>;
}

/** Watches what happens outside, and looks once a second for what the watchers missed. `close` ends both. */
export function startLooks(farm: WholeFarm, { state, host }: Looked, own: Own, repairs: Repairs): { close(): void } {
  let exits = watchExits(farm.places, farm.wake);
  const board = watchTasks(farm, state);
  const files = { ...own, store: farm.places.store, wal: `${farm.places.store}-wal`, run: farm.places.run };
  const ownFiles = watchDaemonFiles(farm, files, {
    wal: () => renewLog(farm.db),
    async run() {
      await makePlaces(farm.places);
      await putFurrowOnPath(farm.places);
      exits.close();
      exits = watchExits(farm.places, farm.wake);
      await farm.terminals.again();
      await farm.doors.again();
    },
    socket: repairs.socket,
    end: repairs.replaced,
    isGone: repairs.isGone,
    gone: repairs.gone,
  });
  const repository = watchRepository(farm.repo, repairs.isGone, repairs.gone);
  const sweep = everySecond(farm, board, [
    [OWN_FILES, ownFiles],
    // Nothing that a store from elsewhere names is put away.
    ...(farm.foreign
      ? []
      : [
          [TROUBLE, troubleNotices(farm)] as const,
          [REFS, repairRefs(farm, () => lookAgain(state))] as const,
          [SWEEP, sweeper(farm, host.swept)] as const,
          [BOARD, wholeBoard(farm, state)] as const,
          [PRUNE, every(farm, PRUNE_MS, () => prune(farm.db, farm.clock.now()))] as const,
          [HEALTH, every(farm, HEALTH_MS, () => lookAtMachine(farm))] as const,
        ]),
  ]);
  return {
    close() {
      clearInterval(sweep);
      exits.close();
      board.close();
      repository.close();
    },
  };
}

/** A head is lost: every target is looked at as if it were new. */
function lookAgain(state: LoopState): void {
  for (const target of [state, ...state.others.values()]) target.targetSeen = '';
}

const lookAtMachine = async (farm: WholeFarm) => followHealth(farm, await machineFacts(farm));

/** A board that could not be read is read at the next chance. */
function wholeBoard(farm: WholeFarm, state: LoopState): () => Promise<void> {
  const again = every(farm, BOARD_MS, async () => {
    state.boardDirty = true;
  });
  return async () => {
    await again();
    if (state.boardDirty) farm.wake('regular');
  };
}

/** A look for every second, taken once in so many milliseconds. */
function every(farm: WholeFarm, ms: number, look: () => Promise<void>): () => Promise<void> {
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    if (farm.clock.awake() < next) return;
    next = farm.clock.awake() + ms;
    await look();
  };
}

/** Reads the task files that changed, and wakes the loop when they say something else: furrow's own writes need no tick. */
function watchTasks(farm: WholeFarm, state: LoopState): BoardWatch {
  return watchBoard(
    () => farm.board,
    (changed) => {
      if (changed) for (const file of changed) state.boardFiles.add(file);
      else state.boardDirty = true;
      observeBoard(farm, state).then(
        (other) => other && farm.wake(),
        // The tick reads them again, and tells what is wrong.
        () => farm.wake(),
      );
    },
  );
}

type Look = readonly [doing: typeof OWN_FILES, look: () => Promise<void>];

function everySecond(farm: WholeFarm, board: BoardWatch, looks: readonly Look[]): NodeJS.Timeout {
  let sweeps = 0;
  let watched = farm.board.dir;
  return setInterval(() => {
    if (++sweeps % FOLLOW_EVERY === 0 || watched !== farm.board.dir) board.follow();
    watched = farm.board.dir;
    for (const [doing, look] of looks)
      look().then(
        () => farm.failing.worked(doing.key),
        (error: Error) => {
          farm.log.warn({ error: error.message }, 'a look failed');
          return farm.failing.failed(doing, error, SWEEP_MS);
        },
      );
  }, SWEEP_MS);
}
