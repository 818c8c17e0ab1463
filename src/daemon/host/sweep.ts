import { statSync } from 'node:fs';
import { readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprint, refFiles } from '../../platform/fingerprint.ts';
import { isTaken } from '../../platform/process/identity.ts';
import { purgeTrash, TRASH_MS } from '../../repo/worktree/dispose.ts';
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

/** The leader's part of a sweep. */
interface Tidied {
  /** Tells which attempts have ended and were settled. */
  ended(): Promise<(attempt: number) => boolean>;
  /** Forgets what is too old to be kept in the store. */
  prune(now: number): Promise<void>;
}

/** A look, cheap enough for every second, that wakes the loop when something it was not told of may have changed. */
export function sweeper(farm: Host, state: Swept, store: Tidied): () => Promise<void> {
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
      await sweepAttempts(farm, await store.ended());
    }
    if (awake - pruned > PRUNE_MS) {
      pruned = awake;
      await purgeTrash(farm.places, TRASH_MS, now);
      await retireTemplates(farm);
      await pruneLogs(farm, now);
      await sweepTemporary(farm, await store.ended());
      await store.prune(now);
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

/** Files of attempts that have ended: nobody will ask for them again. The logs stay. */
async function sweepAttempts(farm: Host, isOver: (attempt: number) => boolean): Promise<void> {
  await farm.doors.sweep(isOver);
  for (const folder of [farm.places.run, farm.places.exits]) {
    for (const name of await readdir(folder)) {
      const attempt = /^a(\d+)(\.|$)/.exec(name)?.[1];
      if (attempt && isOver(Number(attempt))) await rm(join(folder, name), { recursive: true }).catch(() => {});
    }
  }
}
