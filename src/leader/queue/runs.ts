import { availableParallelism, freemem } from 'node:os';
import type { Selectable } from 'kysely';
import type { Farm } from '../../farm/farm.ts';
import type { CheckRunRow } from '../../journal/rows/check-run.ts';
import { keptByVersion } from '../../platform/cache.ts';
import { tableVersion } from '../../platform/db.ts';
import { chooseWidth, type Timed } from '../../queue/width.ts';

type Row = Pick<Selectable<CheckRunRow>, 'id' | 'tree' | 'check' | 'outcome' | 'at' | 'ms' | 'beside' | 'detail' | 'log'>;

/** Enough for any suspicion that is still open; older verdicts are looked up by their tree. */
const RECENT = 1000;
const MEMORY_PER_CHECK = 1024 ** 3;
const MOST = 16;

const COLUMNS = ['id', 'tree', 'check', 'outcome', 'at', 'ms', 'beside', 'detail', 'log', 'about'] as const;

/** By what its answer is about. */
const byAbout = ({ about, ...row }: Row & { about: string | null }): Row => ({ ...row, tree: about ?? row.tree });

const kept = keptByVersion<Farm['db'], readonly Row[]>();

/** The last runs of the queue's checks, oldest first. Read again only when one was added. */
export function recentRuns({ db }: Farm): Promise<readonly Row[]> {
  return kept(db, String(tableVersion(db, 'check_run')), async () => {
    const runs = db.selectFrom('check_run').select(COLUMNS).where('stage', '=', 'queue');
    return (await runs.orderBy('id', 'desc').limit(RECENT).execute()).reverse().map(byAbout);
  });
}

/** Runs on these trees and contents from before the recent ones: what comes up again is not checked again. */
export async function earlierRuns({ db }: Farm, trees: readonly string[], contents: readonly string[], before: number): Promise<Row[]> {
  if (before <= 1 || trees.length === 0) return [];
  const rows = await db
    .selectFrom('check_run')
    .select(COLUMNS)
    .where((e) => e.or([e('tree', 'in', trees), ...(contents.length > 0 ? [e('about', 'in', contents)] : [])]))
    .where('id', '<', before)
    .orderBy('id')
    .execute();
  return rows.map(byAbout);
}

/** The number of checks that may run at a time: as configured, or as measured to be worth it. */
export function slotsOf(farm: Farm, runs: readonly Row[], running: number): number {
  const { slots } = farm.config.queue;
  if (slots !== 'auto') return slots;
  const room = running + Math.floor(freemem() / MEMORY_PER_CHECK);
  const most = Math.max(1, Math.min(MOST, 2 * availableParallelism(), room));
  return chooseWidth(timed(runs), most);
}

export const timed = (runs: readonly Row[]): Timed[] =>
  runs.map((run) => ({ ...run, timedOut: run.detail?.startsWith('timed out') === true }));
