import { type Breaker, breaker } from '../../../agents/agent/rest-after-failures.ts';
import { keptByVersion } from '../../../platform/cache.ts';
import { toAwake, toWall } from '../../../platform/clock.ts';
import { tableVersion } from '../../../platform/engine/counted.ts';
import { lastEnded } from '../../../work/attempt/read.ts';
import { type Dispatch, type DispatchSnapshot, ready } from '../../../work/task/dispatch.ts';
import type { Farm } from '../../farm/farm.ts';

type Ends = ReadonlyMap<number, { at: number; ok: boolean; agent: string }>;
const kept = keptByVersion<Farm['db'], Ends>();
const REMEMBERED = 200;

/** The agents that wait after repeated failures. */
export async function resting({ db, clock }: Farm, now: number) {
  const ends = await kept(db, String(tableVersion(db, 'attempt')), async (before) => {
    const rows = await lastEnded(db, REMEMBERED);
    // The time of day of its end is converted to `awake` time once, when it is new: later the time of day may have jumped.
    const endOf = (row: (typeof rows)[number]) =>
      before?.get(row.id) ?? { at: toAwake(clock, row.ended), ok: row.outcome !== 'crashed', agent: row.agent };
    return new Map(rows.map((row) => [row.id, endOf(row)]));
  });
  return breaker([...ends.values()], now);
}

/** By ref: tasks that only wait for agents which rest after failures; the board does not show that. */
export function heldByRests(
  farm: Farm,
  snapshot: DispatchSnapshot,
  plan: readonly Dispatch[],
  rest: Pick<Breaker, 'agents'>,
  now: number,
): Map<string, { code: string; text: string }> {
  const resting = snapshot.agents.filter(
    (agent) => agent.free && (rest.agents.has(agent.name) || farm.failing.rests(`agent:${agent.name}`)),
  );
  if (resting.length === 0) return new Map();
  const starting = new Set(plan.map((one) => one.task));
  const reasonOf = ({ name }: { name: string }) => {
    const broken = rest.agents.get(name);
    if (!broken) return `${name} rests after a failed start`;
    return `${name} rests until ${new Date(toWall(farm.clock, broken.until)).toISOString().slice(11, 19)}: ${broken.reason}`;
  };
  const waiting = ready(snapshot, now).filter((task) => !starting.has(task.ref) && resting.some((agent) => agent.phase === task.phase));
  const why = (phase: string) => ({
    code: 'resting',
    text: resting
      .filter((agent) => agent.phase === phase)
      .map(reasonOf)
      .join('; '),
  });
  return new Map(waiting.map((task) => [task.ref, why(task.phase)]));
}
