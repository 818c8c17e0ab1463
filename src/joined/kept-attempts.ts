import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../platform/files.ts';
import type { Attempt } from '../work/attempt/store.ts';
import type { Task } from '../work/task/store.ts';

/** An attempt whose agent is on this machine, as far as it is needed without the leader. */
export interface Kept {
  readonly row: Attempt;
  readonly worktree: string;
  readonly task: Task;
  /** Its process; null: it is being started. */
  readonly pid: number | null;
  /** Empty when it had ended before it could be looked at. */
  readonly start: string;
  /** Its work was looked at, and waits for the leader. */
  readonly ended: boolean;
}

/** The attempts of this machine, a file each: they outlive the process that started them. */
export function keptAttempts(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (attempt: number) => join(folder, `${attempt}.json`);
  const known = new Map<number, Kept>();
  for (const name of readdirSync(folder)) {
    if (!/^\d+\.json$/.test(name)) continue;
    const kept = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Kept;
    known.set(kept.row.id, kept);
  }
  return {
    all: (): Kept[] => [...known.values()],
    find: (attempt: number): Kept | undefined => known.get(attempt),
    async note(kept: Kept): Promise<void> {
      known.set(kept.row.id, kept);
      await writeWhole(fileOf(kept.row.id), JSON.stringify(kept));
    },
    async forget(attempt: number): Promise<void> {
      known.delete(attempt);
      await rm(fileOf(attempt), { force: true });
    },
  };
}
