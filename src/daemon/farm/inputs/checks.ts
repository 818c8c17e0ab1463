import type { Db, Tx } from '../../../journal/store.ts';
import { tasksOf } from '../../../work/task/store.ts';
import type { LandArgs } from '../../acts/land/arguments.ts';
import { checksHash, ownCheck } from '../check-specs.ts';
import { versionInForce } from './versions.ts';

/** One hash of the checks that these tasks must pass now: those of the configuration in force, and the tasks' own. */
export async function checksInForce(db: Db | Tx, tasks: readonly string[]): Promise<string> {
  const version = await versionInForce(db);
  const own = (await tasksOf(db, tasks)).flatMap((row) => ownCheck(row.check)).map((check) => check.id);
  return checksHash([...(JSON.parse(version?.checks ?? '[]') as string[]), ...own]);
}

/** True when a landing was judged by the checks that are in force now. */
export async function isJudgedByChecks(db: Db | Tx, { checks, entries }: Pick<LandArgs, 'checks' | 'entries'>): Promise<boolean> {
  const tasks = entries.map((entry) => entry.task);
  return checks === (await checksInForce(db, tasks));
}
