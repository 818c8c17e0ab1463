import type { FurrowError } from '../../platform/error.ts';
import { limiter } from '../../platform/limit.ts';
import type { PushState } from '../../repo/merge/push-failure.ts';
import { Histogram } from '../../tell/metrics/counts.ts';
import { TICK_TIMES } from '../../tell/metrics/families.ts';
import type { Scan } from '../../work/task/scan.ts';
import { emptyMemory, type QueueMemory } from './queue/memory.ts';
import { emptyRaces, type RaceMemory } from './race/memory.ts';
import { type SlowCheckWatch, slowCheckWatch } from './slow-check-watch.ts';

/** The loop's memory of one target: that of the queue, or one whose landings are still to be published. */
export interface TargetState {
  targetSeen: string;
  /** The target could not be followed, and a person was asked. True at the start: a question of an earlier daemon may be open. */
  targetLost: boolean;
  /** Value of the target branch when last looked at. */
  targetAt: string;
  /** The target as an agent left it, which is not followed: the state that was seen, and the sentence about it. */
  strayed: { readonly seen: string; readonly kept: string | undefined; readonly error: FurrowError } | undefined;
  /** Why publishing waits, and since when it was last tried. */
  publishing: { reason: string | null; triedAt: number; waitMs: number; at: string };
  /** The published commit that the remote does not have yet. */
  unpushed: { readonly remote: string; readonly commit: string } | null;
  /** The newest landing that the target has, and what that was found from. */
  newest: { readonly key: string; readonly commit: string | undefined } | undefined;
  /** The failure of the last push to the remote, if it failed. */
  pushFailed: PushState['failed'];
  /** The state of both branches when a push was last tried. */
  pushSeen: string;
  readonly queue: { target: string; head: string; headTree: string; moves: number };
}

export const freshTarget = (): Omit<TargetState, 'queue'> => ({
  targetSeen: '',
  targetLost: true,
  targetAt: '',
  strayed: undefined,
  publishing: { reason: null, triedAt: 0, waitMs: 1500, at: '' },
  unpushed: null,
  newest: undefined,
  pushFailed: undefined,
  pushSeen: '',
});

/** The loop's memory between ticks. All of it can be lost: then it is read again. */
export interface LoopState extends TargetState {
  /** The `board:` that the board was last found by; null: none is set. */
  boardOf?: string | null;
  boardDirty: boolean;
  /** Durations of ticks. */
  readonly ticks: Histogram;
  /** Task files that changed, by their paths below the board. */
  readonly boardFiles: Set<string>;
  scan: Scan | undefined;
  /** One look at the board at a time: calls and the watch look at it too. */
  readonly boardTurn: ReturnType<typeof limiter>;
  /** The board's problem in the open question; undefined: not yet known. */
  boardTrouble: string | null | undefined;
  /** An operation of the person's is half done in the checkout: task files are written after it. */
  boardWaits: boolean;
  /** The reason in the open question about trust; null: none is open, undefined: not yet known. */
  trustAsked: string | null | undefined;
  /** The patterns, and the head's tree, at the last look for patterns that match nothing. */
  patterns: { readonly seen: string; readonly tree: string };
  /** Version of the task table when landed tasks were last compared with their files. */
  landedAsked: number;
  /** The last `stop` said not to wait for anybody. */
  stopNow: boolean;
  /** Aborts what a person's stop ends: the judge of a race, a push, a message to a webhook. Replaced when the farm goes on. */
  cut: AbortController;
  /** Attempts being started, by agent: stopping an agent ends its start. */
  readonly starting: Map<string, AbortController>;
  /**
   * Tasks that only their agent kind or the budget keeps from starting, and why. `refused`: a person said so, and waiting changes nothing.
   */
  readonly held: Map<string, { code: string; text: string; refused?: true }>;
  /** Commit that new attempts start from; empty while the target in force cannot be read. */
  base: string;
  /** The target that `base` was read for: an attempt gets both together, whatever comes into force meanwhile. */
  baseTarget: string;
  baseSeen: string;
  readonly queue: QueueMemory;
  /** The red run of the head that a person was last told of. */
  preflightTold: number;
  /** By branch: targets that the queue has left while landings of theirs were still to be published or pushed. */
  readonly others: Map<string, TargetState>;
  readonly slowChecks: SlowCheckWatch;
  readonly races: RaceMemory;
}

/** The state of a loop that has seen nothing yet. */
export function freshState(target: string, openMending: QueueMemory['openMending']): LoopState {
  const held: LoopState['held'] = new Map();
  return {
    boardDirty: true,
    ticks: new Histogram(TICK_TIMES),
    boardFiles: new Set(),
    scan: undefined,
    boardTurn: limiter(1),
    boardTrouble: undefined,
    trustAsked: undefined,
    patterns: { seen: '', tree: '' },
    landedAsked: -1,
    boardWaits: false,
    stopNow: false,
    cut: new AbortController(),
    ...freshTarget(),
    others: new Map(),
    base: '',
    baseSeen: '',
    baseTarget: '',
    starting: new Map(),
    held,
    queue: emptyMemory(openMending, target, held),
    preflightTold: 0,
    slowChecks: slowCheckWatch(),
    races: emptyRaces(),
  };
}
