import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Selectable } from 'kysely';
import type { SeenProcess } from '../../agents/supervision/process.ts';
import type { AttemptRow } from '../../journal/rows/attempt.ts';
import type { Places } from '../../platform/places.ts';
import { isAlive } from '../../platform/process/identity.ts';
import { readSaid } from '../../work/attempt/end-report.ts';
import { startName } from '../farm/process-names.ts';

/** One look at every live attempt: one listing of the exit folder, one line of the process table each. */
export function lookAtAttempts(rows: readonly Selectable<AttemptRow>[], places: Places, lost: ReadonlySet<number>): SeenProcess[] {
  if (rows.length === 0) return [];
  // Alive is asked before the exit file: the script writes the file first, so "dead and no file" is final.
  const alive = new Map(
    rows.map((row) => [row.id, row.pid !== null && row.pid_start ? isAlive({ pid: row.pid, start: row.pid_start }) : false]),
  );
  const exited = new Set(readdirSync(places.exits));
  return rows.map((row) => ({
    id: row.id,
    agent: row.agent,
    state: row.state as 'starting' | 'running',
    exited: exited.has(startName(row.id, row.launch)),
    alive: row.state === 'running' ? alive.get(row.id) : undefined,
    orphaned: lost.has(row.id),
    deadline: row.deadline,
    saidAt: readSaid(row.said)?.at ?? null,
  }));
}

/** Wakes the loop as soon as an attempt's script has written its exit code. A lost hint costs a second, not more. */
export function watchExits(places: Places, wake: () => void): { close(): void } {
  try {
    const watcher = watch(places.exits, (_, name) => {
      if (name === null || isNews(places, name)) wake();
    });
    watcher.on('error', () => {});
    return watcher;
  } catch {
    // The system has no watches left: that is a lost hint each time.
    return { close: () => {} };
  }
}

/** The file is written beside, renamed, and removed by us in the end: of five events one is news, and each cost a tick. */
const isNews = (places: Places, name: string) => !name.endsWith('.tmp') && existsSync(join(places.exits, name));
