import type { EventEmitter } from 'node:events';
import type { Kysely } from 'kysely';
import type { Config } from '../../config/schema.ts';
import type { Schema } from '../../journal/schema.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Repo } from '../../platform/git/run.ts';
import type { Log } from '../../platform/log.ts';
import type { Places } from '../../platform/places.ts';
import type { Isolation } from '../../repo/fence/level.ts';
import type { Epoch } from '../../repo/merge/epoch.ts';
import type { Board } from '../../work/task/board.ts';
import type { Alarm, Waking } from './alarm.ts';
import type { Failing } from './failing.ts';
import type { Inputs } from './inputs/inputs.ts';
import type { TaskRows } from './task-rows.ts';
import type { TrustKeeper } from './trust/trust.ts';

/** The shared context of the daemon. Its parts that change are named as such. */
export interface Farm {
  /** Eight hex digits, kept in the git folder: part of every process marker and of the tmux session's name. */
  readonly id: string;
  readonly version: string;
  readonly repo: Repo;
  readonly places: Places;
  readonly db: Kysely<Schema>;
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: Epoch;
  /** The store was lost, and is to be filled from what refs and trailers tell. */
  readonly lost: boolean;
  /** The target in force: what starts or is submitted now lands there. An entry, a landing or an act has a target of its own. */
  target: string;
  /** The configuration in force. */
  config: Config;
  board: Board;
  /** The level of isolation in force. */
  isolation: Isolation;
  /** Watches what target and configuration are decided from. */
  readonly inputs: Inputs;
  /** Holds what the repository makes run against what the person agreed to. Asked before anything of it is started. */
  readonly trust: TrustKeeper;
  /** The store was not made here when this daemon started: it reads and answers, and does nothing else as long as it lives. */
  readonly foreign: boolean;
  /** When a person stopped the farm. It starts, lands, publishes and sends nothing until they say `work`, `resume` or `submit`. */
  stopped(): number | undefined;
  /** Why something cannot go on just now, by what it is: a full disk, most likely. It cannot be stored, so it is kept here. */
  readonly troubles: Map<string, string>;
  readonly alarm: Alarm;
  /** Hashes of the task files that are just being written by furrow itself: reading them back is nobody's edit. */
  readonly ownWrites: Set<string>;
  /** Repeated failures. */
  readonly failing: Failing;
  /** Tells by the name of its log that a check was cut short: nothing else does, because it has no outcome to be stored. */
  readonly cutShort: EventEmitter;
  /** Every task as it is in the store now. */
  readonly tasks: () => Promise<TaskRows>;
  /** Asks the loop to look again; cheap, and never wrong to call. `regular`: only because it is time for a look. */
  wake(why?: 'regular'): void;
  /** Asks those who follow messages to look again, and nobody else: at 100 agents that talk, a look at the whole farm for each word left room for 40 words a second. */
  readonly post: Waking;
}

export const attemptMarker = (farm: Pick<Farm, 'id'>, attempt: number) => `${farm.id}.a${attempt}`;
/** Of what set-up runs in a worktree that a person took over. */
export const takenMarker = (farm: Pick<Farm, 'id'>, task: string) => `${farm.id}.t${task}`;
/** Of what runs below `furrow hold`, in FURROW_HOLD. */
export const holdMarker = (farm: Pick<Farm, 'id'>, lease: number) => `${farm.id}.h${lease}`;
export const slotMarker = (farm: Pick<Farm, 'id'>, slot: string) => `${farm.id}.s${slot}`;

/** Files of one start of an attempt's process, below `.furrow`; the relative ones are what tmux is given. */
export function attemptFiles(places: Places, agent: string, attempt: number, launch = 1) {
  const name = startName(attempt, launch);
  return {
    /** Of all its starts: the driver's own files. */
    folder: `${places.run}/a${attempt}`,
    script: `${places.run}/${name}.sh`,
    scriptRelative: `run/${name}.sh`,
    pid: `${places.run}/${name}.pid`,
    prompt: `${places.run}/${name}.prompt.md`,
    exit: `${places.exits}/${name}`,
    log: `${places.logs}/${agent}/${name}.log`,
    logRelative: `logs/${agent}/${name}.log`,
  };
}

/** `a12`, and after its process was relaunched `a12.2`. */
export const startName = (attempt: number, launch: number) => (launch > 1 ? `a${attempt}.${launch}` : `a${attempt}`);
