import { newestEvents } from '../../../journal/event.ts';
import { runsWith } from '../../../queue/check-run/read.ts';
import type { CheckRun } from '../../../queue/check-run/store.ts';
import { landingsWith } from '../../../queue/landing/read.ts';
import { entriesOfTask } from '../../../work/entry/read.ts';
import type { Farm } from '../../farm/farm.ts';

type Run = CheckRun;

const MOST = 200;

/** The runs of checks that were about a task, the oldest first: alone, in the stack it landed with, or that it was sent back for. */
export async function checkLogsOfTask(farm: Pick<Farm, 'db'>, ref: string, attempt?: number): Promise<Run[]> {
  const { db } = farm;
  const entries = await entriesOfTask(db, ref);
  const wanted = attempt === undefined ? entries : entries.filter((entry) => entry.attempt === attempt);
  if (wanted.length === 0) return [];
  const logs = await logsInEvents(db, ref);
  const trees = (await landingsWith(db, wanted.at(-1)!.id)).map((row) => row.tree);
  const runs = await runsWith(db, logs, trees);
  if (attempt === undefined) return runs;
  return runs.filter((run) => wanted.some(({ at, ended }) => run.at >= at && (ended === null || run.at <= ended)));
}

/** Logs that events about the task name: of checks of it alone, and of the one that it was sent back for. */
async function logsInEvents(db: Farm['db'], ref: string): Promise<string[]> {
  const events = await newestEvents(db, ['check.ended', 'task.handed-back'], MOST, ref);
  return events.flatMap(({ data }) => {
    const { log } = JSON.parse(data) as { log?: unknown };
    return typeof log === 'string' ? [log] : [];
  });
}
