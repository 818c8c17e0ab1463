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
import type { Repository } from './repository.ts';
import type { TaskRows } from './task-rows.ts';
import type { TrustKeeper } from './trust/trust.ts';

/** The shared context of the daemon. Fields without `readonly` are replaced while it runs. */
export interface Farm {
  /** Eight hex digits, kept in the git folder: part of every process marker and of the tmux session's name. */
  readonly id: string;
  readonly version: string;
  readonly repo: Repo;
  readonly git: Repository;
  readonly places: Places;
  readonly db: Kysely<Schema>;
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: Epoch;
  /** The store was lost, and must be rebuilt from refs and trailers. */
  readonly lost: boolean;
  /** The target in force: work that starts or is submitted now lands there. An entry, a landing or an act has a target of its own. */
  target: string;
  /** The configuration in force. */
  config: Config;
  board: Board;
  /** The level of isolation in force. */
  isolation: Isolation;
  /** Watches the sources of target and configuration. */
  readonly inputs: Inputs;
  /** Compares what the repository makes run with what the person agreed to. Ask it before starting anything of the repository. */
  readonly trust: TrustKeeper;
  /** The store was not made here when this daemon started: this daemon only reads and answers. */
  readonly foreign: boolean;
  /**
   * The time when a person stopped the farm. It starts, lands, publishes and sends nothing until they type `work`, `resume` or `submit`.
   */
  stopped(): number | undefined;
  /** By subject, the reason why something cannot go on now, most likely a full disk. Then it cannot be stored, so it is kept here. */
  readonly troubles: Map<string, string>;
  readonly alarm: Alarm;
  /** Hashes of the task files that furrow itself is writing: reading them back is no edit by a person. */
  readonly ownWrites: Set<string>;
  /** Repeated failures. */
  readonly failing: Failing;
  /** Emits the log's name of a check that was cut short: such a check has no outcome to store. */
  readonly cutShort: EventEmitter;
  /** Every task as it is in the store now. */
  readonly tasks: () => Promise<TaskRows>;
  /** Asks the loop to look again; cheap, and always safe to call. `ticks.ts` says what the reasons mean. */
  wake(why?: 'regular' | 'soon'): void;
  /**
   * Asks only the code that follows messages to look again: with 100 agents that talk, a look at the whole farm for each message allowed
   * only 40 messages a second.
   */
  readonly post: Waking;
}

/** A farm without the store, as a host has it. */
export type FarmOutsideStore = Omit<Farm, 'db' | 'tasks'>;
