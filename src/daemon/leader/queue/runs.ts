import { availableParallelism, freemem } from 'node:os';
import { keptByVersion } from '../../../platform/cache.ts';
import { tableVersion } from '../../../platform/engine/counted.ts';
import { queueRuns, runsBefore } from '../../../queue/check-run/read.ts';
import type { CheckRun } from '../../../queue/check-run/store.ts';
import { chooseWidth, type Timed } from '../../../queue/width.ts';
import type { Farm } from '../../farm/farm.ts';
import { slotsElsewhere } from './choose-slot.ts';
import type { QueueMemory } from './memory.ts';

/** Enough for every open suspicion; older verdicts are looked up by their tree. */
const RECENT = 1000;
const MEMORY_PER_CHECK = 1024 ** 3;
const MOST = 16;

/** By what its answer is about. */
const byAbout = (run: CheckRun): CheckRun => ({ ...run, tree: run.about ?? run.tree });

const kept = keptByVersion<Farm['db'], readonly CheckRun[]>();

/** The last runs of the queue's checks, oldest first. A stored run never changes, so only those that were added since are read. */
export function recentRuns({ db }: Farm): Promise<readonly CheckRun[]> {
  return kept(db, String(tableVersion(db, 'check_run')), async (before = []) => {
    const added = await queueRuns(db, RECENT, before.at(-1)?.id ?? 0);
    return [...before, ...added.map(byAbout)].slice(-RECENT);
  });
}

/** Older runs on these trees and contents, so that they are not checked again. */
export async function earlierRuns(
  { db }: Farm,
  trees: readonly string[],
  contents: readonly string[],
  before: number,
): Promise<CheckRun[]> {
  if (before <= 1 || trees.length === 0) return [];
  return (await runsBefore(db, before, { trees, contents })).map(byAbout);
}

/** The number of checks that may run at a time: here, as configured or as measured, and on the machines that joined. */
export function slotsOf(farm: Farm, memory: Pick<QueueMemory, 'hosts' | 'running'>, runs: readonly CheckRun[]): number {
  const { slots } = farm.config.queue;
  return (slots === 'auto' ? measuredSlots(memory, runs) : slots) + slotsElsewhere(memory);
}

function measuredSlots({ running: checks }: Pick<QueueMemory, 'running'>, runs: readonly CheckRun[]): number {
  const running = [...checks.values()].filter((run) => run.host === undefined && !run.abort.signal.aborted).length;
  const room = running + Math.floor(freemem() / MEMORY_PER_CHECK);
  const most = Math.max(1, Math.min(MOST, 2 * availableParallelism(), room));
  return chooseWidth(timed(runs), most);
}

/** The runs on this machine: another one has other times. */
export const timed = (runs: readonly CheckRun[]): Timed[] =>
  runs.filter(({ host }) => host === null).map((run) => ({ ...run, timedOut: run.detail?.startsWith('timed out') === true }));
