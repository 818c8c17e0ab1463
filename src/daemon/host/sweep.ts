import { statSync } from 'node:fs';
import { readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../journal/store.ts';
import { fingerprint, refFiles } from '../../platform/fingerprint.ts';
import { isTaken } from '../../platform/process/identity.ts';
import { purgeTrash, TRASH_MS } from '../../repo/worktree/dispose.ts';
import { lastAttemptId, openAttempts } from '../../work/attempt/store.ts';
import { sweepTemporary } from './agents/temporary.ts';
import type { Host } from './host.ts';
import { logsToRemove } from './log-retention.ts';
import { retireTemplates } from './setup.ts';

const RESCAN_MS = 10_000;
const PRUNE_MS = 3600_000;

/** The part of the loop's memory that a sweep reads and marks. */
interface Swept {
  boardDirty: boolean;
  /** Of attempts that run, by the last tick; null: one that was never seen. */
  readonly pids: readonly (number | null)[];
  readonly queue: { readonly target: string };
  readonly others: ReadonlyMap<string, unknown>;
}

/** A look, cheap enough for every second, that wakes the loop when something it was not told of may have changed. */
export function sweeper(farm: Host, state: Swept, prune: (db: Db, now: number) => Promise<void>): () => Promise<void> {
  let seen = '';
  let scanned = 0;
  let pruned = 0;
  return async () => {
    const before = { seen };
    if ((await farm.inputs.look()) > 0) farm.wake();
    const now = farm.clock.now();
    const awake = farm.clock.awake();
    if (awake - scanned > RESCAN_MS) {
      scanned = awake;
      state.boardDirty = true;
      await sweepAttempts(farm);
    }
    if (awake - pruned > PRUNE_MS) {
      pruned = awake;
      await purgeTrash(farm.places, TRASH_MS, now);
      await retireTemplates(farm);
      await pruneLogs(farm, now);
      await sweepTemporary(farm, await endedAttempts(farm));
      await prune(farm.db, now);
    }
    // Who has the pid is asked by the next tick, which comes every ten seconds in any case.
    const dead = state.pids.some((pid) => pid === null || !isTaken(pid));
    const targets = new Set([farm.target, state.queue.target, ...state.others.keys()]);
    seen = fingerprint(
      ...[...targets].flatMap((target) => refFiles(farm.repo.gitDir, target)),
      `${farm.repo.gitDir}/index`,
      `${farm.repo.gitDir}/HEAD`,
    );
    if (seen !== before.seen || dead) farm.wake();
    else if (state.boardDirty) farm.wake('regular');
  };
}

async function pruneLogs(farm: Host, now: number): Promise<void> {
  const { logs } = farm.places;
  const files = (await readdir(logs, { recursive: true })).flatMap((name) => {
    const stat = statSync(join(logs, name), { throwIfNoEntry: false });
    return stat?.isFile() ? [{ name, bytes: stat.size, changed: stat.mtimeMs }] : [];
  });
  for (const name of logsToRemove(files, now)) await unlink(join(logs, name)).catch(() => {});
}

/** Tells which attempts have ended and were settled. Of one that the store does not know nothing can be said. */
async function endedAttempts(farm: Host): Promise<(attempt: number) => boolean> {
  const last = await lastAttemptId(farm.db);
  const live = new Set((await openAttempts(farm.db)).map((row) => row.id));
  return (id) => id <= last && !live.has(id);
}

/** Files of attempts that have ended: nobody will ask for them again. The logs stay. */
async function sweepAttempts(farm: Host): Promise<void> {
  const isOver = await endedAttempts(farm);
  await farm.doors.sweep(isOver);
  for (const folder of [farm.places.run, farm.places.exits]) {
    for (const name of await readdir(folder)) {
      const attempt = /^a(\d+)(\.|$)/.exec(name)?.[1];
      if (attempt && isOver(Number(attempt))) await rm(join(folder, name), { recursive: true }).catch(() => {});
    }
  }
}
