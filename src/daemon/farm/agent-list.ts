import type { AgentState } from '../../agents/supervision/derive.ts';
import { stateForPeople, stateNow } from '../../agents/supervision/watched.ts';
import type { ListedAgent } from '../../api/contract.ts';
import { type Clock, toWall } from '../../platform/clock.ts';
import { isAlive } from '../../platform/process/identity.ts';
import { pinnedLevel } from '../../repo/fence/level.ts';
import { splitRef } from '../../work/task/id.ts';
import type { FarmRows } from './snapshot.ts';

/** Every agent as all faces show it. */
export function listAgents(rows: FarmRows, clock: Clock): ListedAgent[] {
  const attempts = new Map(rows.attempts.map((row) => [row.id, row]));
  const active = new Set(rows.work.filter((row) => row.state !== 'ended').map((row) => row.phase));
  return rows.agents
    .filter((row) => active.has(row.phase) || row.attempt !== null)
    .map((row) => {
      const attempt = row.attempt === null ? undefined : attempts.get(row.attempt);
      const derived = attempt && shownState(rows, attempt, clock.awake());
      return {
        name: row.name,
        index: row.idx,
        phase: row.phase,
        kind: row.kind,
        state: derived?.state ?? (row.state === 'stopping' ? 'working' : row.state),
        paused: row.paused === 1,
        task: attempt ? splitRef(attempt.task).id : null,
        title: attempt ? (rows.row(attempt.task)?.title ?? null) : null,
        attempt: attempt?.n ?? null,
        worktree: row.worktree,
        branch: attempt?.branch ?? null,
        ...(attempt && attempt.host !== null && { host: attempt.host }),
        ...told(attempt?.settings),
        isolation: attempt ? pinnedLevel(attempt.settings) : null,
        since: new Date(derived?.since ? toWall(clock, derived.since) : row.since).toISOString(),
        detail: derived?.detail ?? null,
        says: derived?.text ?? null,
        until: derived?.until ? new Date(derived.until).toISOString() : null,
      };
    });
}

/** The model, the effort and the account that an attempt was started with. */
function told(settings: string | null | undefined): Pick<ListedAgent, 'model' | 'effort' | 'account'> {
  const { model = null, effort = null, account } = JSON.parse(settings ?? '{}') as { model?: string; effort?: string; account?: string };
  return { model, effort, ...(account !== undefined && { account }) };
}

/**
 * The work of an ended process may wait this long to be judged. Most processes end because their work is done, and such an agent is not
 * dead.
 */
const JUDGED_MS = 10_000;

function shownState(rows: FarmRows, attempt: FarmRows['attempts'][number], now: number): AgentState | undefined {
  const record = rows.supervision.get(attempt.id);
  const found = stateOf(rows, attempt, now);
  const state = found && stateForPeople(record, found);
  const ended = record?.ended;
  if (state?.state !== 'dead' || (ended && now - ended.at >= JUDGED_MS)) return state;
  return { ...state, state: 'working', detail: 'ending' };
}

/** The state of a running attempt's agent, by its process and by its own events. */
export function stateOf(rows: Pick<FarmRows, 'supervision'>, attempt: FarmRows['attempts'][number], now: number): AgentState | undefined {
  if (attempt.state !== 'running') return { state: 'starting', detail: null, text: null, since: 0, until: null, sure: true };
  // Its own machine tells of the end of a process there.
  if (attempt.host !== null) return stateNow(rows.supervision.get(attempt.id), 'alive', now);
  const alive = attempt.pid !== null && attempt.pid_start ? isAlive({ pid: attempt.pid, start: attempt.pid_start }) : false;
  return stateNow(rows.supervision.get(attempt.id), alive === undefined ? 'unknown' : alive ? 'alive' : 'dead', now);
}
