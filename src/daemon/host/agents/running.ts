import type { Connection, Driver, DriverSettings } from '../../../agents/agent/driver.ts';
import { type AgentState, derive } from '../../../agents/supervision/derive.ts';
import { emptySupervision, type Supervision } from '../../../agents/supervision/record.ts';
import { type SupervisionStep, step } from '../../../agents/supervision/state.ts';
import { stateForPeople } from '../../../agents/supervision/watched.ts';
import type { WithAccount } from '../../farm/accounts.ts';
import { startedWith } from '../../farm/agent-settings.ts';
import type { Host } from '../host.ts';

/** A running attempt as the daemon holds it in memory: how it was started, its connection, and its record of supervision. */
export interface RunningAttempt {
  readonly attempt: number;
  readonly agent: string;
  readonly task: string;
  readonly n: number;
  /** The start of its process that this is about. */
  readonly launch: number;
  readonly worktree: string;
  readonly driver: Driver;
  readonly settings: DriverSettings;
  /** All settings that the attempt was started with. */
  readonly own: WithAccount;
  /** As it is stored; changed by `advance` alone. */
  record: Supervision;
  connection: Connection | undefined;
}

export interface RunningAttempts {
  /** When this daemon began to listen, in `awake` time. */
  readonly since: number;
  /** The attempt, while it runs. */
  find(attempt: number): Promise<RunningAttempt | undefined>;
  /** Moves its record by one step, stores it, and tells of a change of its state. `false`: the step does not apply. */
  advance(running: RunningAttempt, event: SupervisionStep): Promise<boolean>;
  /** The record was changed in the store: it is read again the next time. */
  forget(attempt: number): void;
  /** All others have ended. */
  keep(attempts: readonly { readonly id: number }[]): void;
}

export function runningAttempts(farm: Host): RunningAttempts {
  const known = new Map<number, RunningAttempt>();
  return {
    since: farm.clock.awake(),
    async find(attempt) {
      const before = known.get(attempt);
      if (before) return before;
      const read = await readRunning(farm, attempt);
      if (!read) return undefined;
      // Two hooks at once may both have come this far.
      const first = known.get(attempt) ?? read;
      known.set(attempt, first);
      return first;
    },
    async advance(running, event) {
      const moved = await advance(farm, running, event);
      // Its record is that of a process before.
      if (moved === 'relaunched' && known.get(running.attempt) === running) known.delete(running.attempt);
      return moved === true;
    },
    forget: (attempt) => void known.delete(attempt),
    keep(attempts) {
      const open = new Set(attempts.map((row) => row.id));
      for (const attempt of known.keys()) if (!open.has(attempt)) known.delete(attempt);
    },
  };
}

/** The attempt in a question to the leader. */
export const whose = ({ attempt, agent, task }: RunningAttempt) => ({ attempt, agent, task });

async function readRunning(farm: Host, attempt: number): Promise<RunningAttempt | undefined> {
  const row = await farm.leader.attempts.open(attempt);
  if (!row) return undefined;
  const { agent, task, n, launch, worktree, record = emptySupervision(farm.clock.awake()) } = row;
  return { attempt, agent, task, n, launch, worktree, ...startedWith(farm.config, row), record, connection: undefined };
}

/** The record in memory changes at once: two events that come together both count. */
async function advance(farm: Host, running: RunningAttempt, event: SupervisionStep): Promise<boolean | 'relaunched'> {
  const next = step(running.record, event);
  if (!next) return false;
  const awake = farm.clock.awake();
  const before = stateForPeople(running.record, derive(running.record.signals, 'alive', awake));
  running.record = next;
  const after = stateForPeople(next, derive(next.signals, 'alive', awake));
  const { attempt, launch, agent, task, n } = running;
  const changed = before.state !== after.state || before.detail !== after.detail;
  const stored = await farm.report({
    // Reports are stored in their order: the last one has what all of them changed.
    supervised: [{ attempt, launch, record: next }],
    events: changed ? [{ kind: 'agent.state', agent, task, attempt: n, ...inWords(agent, after) }] : [],
  });
  farm.wake();
  return stored || 'relaunched';
}

function inWords(agent: string, { state, detail, text, until }: AgentState) {
  const what = detail && detail !== state ? `${state} (${detail})` : state;
  return { text: `${agent} is ${what}${text ? `: ${text}` : ''}`, data: { state, detail, until } };
}
