import type { Out } from '../../api/contract.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import { standingWord } from '../../tell/face/standing.ts';
import { added, type Counts, samplesOf, seriesOf } from '../../tell/metrics/counts.ts';
import { FAMILIES, type Family, TICK_TIMES } from '../../tell/metrics/families.ts';
import { countsSince, keptCounts } from '../../tell/metrics/pruned-counts.ts';
import { checkCounts, entryCounts, lastingCounts, messageCounts, presentCounts, questionCounts } from '../../tell/metrics/read.ts';
import { levelOf } from '../../work/question/attention-order.ts';
import { type Desk, iso } from './context.ts';
import { readFarm } from './view/reading.ts';
import { statusOf } from './view/status.ts';

type Told = Out<'metrics'>['families'][number];

const STARTED = performance.timeOrigin;

/** States that are always told, with 0 as well: a series that comes and goes cannot be watched. */
const STATES = {
  furrow_agents: ['starting', 'idle', 'working', 'waiting', 'limited', 'stopped', 'dead', 'unknown'],
  furrow_tasks: ['waiting', 'ready', 'leased', 'submitted', 'landed', 'parked', 'blocked', 'archived'],
  furrow_farm_state: ['running', 'paused', 'stopped', 'idle'],
  furrow_entries_total: ['landed', 'rejected', 'conflict', 'cancelled'],
  furrow_questions_open: ['farm', 'agent', 'landing', 'task', 'upkeep'],
  furrow_messages: ['queued', 'delivered', 'seen', 'dead'],
} as const;

const NOTHING: Counts = new Map(
  Object.entries(STATES).flatMap(([name, states]) => states.map((state) => [seriesOf(name, [state]), 0] as const)),
);

/** The figures of the farm. Counters come from the store, so that a restart of the daemon changes none of them. */
export function metricsCall(desk: Desk): Pick<Handlers, 'metrics'> {
  const { farm, state } = desk;
  return {
    async metrics(_args, context): Promise<Out<'metrics'>> {
      const { db, clock } = farm;
      const tables = [checkCounts, entryCounts, lastingCounts, messageCounts, presentCounts, questionCounts];
      const stored: Counts[] = [];
      for (const table of tables) stored.push(await table(db));
      const counts = added(NOTHING, await keptCounts(db), ...stored, await shown(desk, context), state.ticks.counts);
      const since = iso(await countsSince(db, clock.now()));
      return { families: FAMILIES.map((family) => told(family, counts, since)) };
    },
  };
}

function told(family: Family, counts: Counts, since: string): Told {
  const { name, kind, help, by } = family;
  const from = kind === 'gauge' ? null : name === TICK_TIMES ? iso(STARTED) : since;
  return { name, kind, help, labels: [...by], since: from, samples: samplesOf(family, counts) };
}

/** The same numbers as `furrow status` has. */
async function shown(desk: Desk, context: CallContext): Promise<Counts> {
  const reading = readFarm(desk);
  const { farm, agents, tasks, queue } = await statusOf(reading, context.caller);
  const one = (name: string, value: number, ...by: string[]): Counts => new Map([[seriesOf(name, by), value]]);
  return added(
    one('furrow_build_info', 1, farm.version),
    ...(desk.pid === null ? [] : [one('furrow_start_time_seconds', Math.round(STARTED / 1000))]),
    one('furrow_farm_state', 1, standingWord(farm)),
    ...agents.map(({ state }) => one('furrow_agents', 1, state)),
    ...Object.entries(tasks).map(([state, n]) => one('furrow_tasks', n, state)),
    one('furrow_queue_depth', queue.depth),
    one('furrow_queue_checking', queue.checking),
    one('furrow_queue_halted', queue.halted === null ? 0 : 1),
    // All of them, also when the caller may not see each.
    ...(await reading.questions()).map(({ kind }) => one('furrow_questions_open', 1, levelOf(kind))),
  );
}
