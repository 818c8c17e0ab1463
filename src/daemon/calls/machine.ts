import type { Item } from '../../api/contract.ts';
import type { KillMethod } from '../../platform/process/jail.ts';
import type { LimitWays } from '../../platform/process/limits.ts';
import type { PaneInfo } from '../../platform/tmux/panes.ts';
import type { Conflicts } from '../../repo/radar/matrix.ts';
import type { Setups } from '../../repo/setup/setups.ts';
import type { ConflictRows } from '../farm/conflict-rows.ts';

/** This machine, as far as answers to clients need it. The daemon hands it in, so that no call knows a host. */
export interface Machine {
  readonly killMethod: KillMethod;
  /** The limits of the configuration that this machine can enforce. */
  readonly limitWays: LimitWays;
  /** The windows of agents; `panes` answers `undefined` when there are none. */
  readonly terminals: { readonly socket: string; readonly session: string; panes(): Promise<readonly PaneInfo[] | undefined> };
  readonly screens: Screens;
  /** Set-up that runs now, and the templates that are in use. */
  readonly setups: Pick<Setups, 'running' | 'inUse'>;
  /** The checks whose slot is being prepared now, by their logs. */
  readonly checksInSetup: ReadonlySet<string>;
  /** The checks that hang now, by their logs. */
  hangingChecks(): Promise<readonly { readonly log: string; readonly text: string }[]>;
  /** Conflicts between what agents have in hand, as of now. */
  conflicts(rows: ConflictRows): Promise<Conflicts>;
  /** Takes over what an agent has done so far in a repository of its own, if it has one. */
  takeOver(agent: string): Promise<void>;
  /** Sets up the worktree of a person, as for an agent. `by`: their name in paths. */
  setUp(by: string, worktree: string, env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  /** Mends what is broken of furrow's own refs, indexes and reflogs. */
  mend(): Promise<void>;
}

/** Live pictures of the agents' panes. */
interface Screens {
  /** Shows an agent's screen until its window is gone or the signal ends. */
  watch(agent: string, viewing: Viewing, signal: AbortSignal): Promise<void>;
  type(agent: string, text: string): Promise<void>;
  /** The reason why it keeps its size, or `undefined`. */
  resize(agent: string, cols: number, rows: number): Promise<string | undefined>;
}

interface Viewing {
  readonly lines: number;
  readonly item: (item: Item<'screen'>) => void;
  readonly drained?: (() => Promise<void>) | undefined;
}
