import { statSync } from 'node:fs';
import { readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprint, refFiles } from '../../platform/fingerprint.ts';
import { isTaken } from '../../platform/process/identity.ts';
import { purgeTrash, TRASH_MS } from '../../repo/worktree/dispose.ts';
import type { HostRows } from '../farm/host-side.ts';
import { sweepTemporary } from './agents/temporary.ts';
import type { Host } from './host.ts';
import { retireTemplates } from './setup.ts';

const RESCAN_MS = 10_000;
const PRUNE_MS = 3600_000;

/** The things that a sweep looks after, by the rows of the last look. */
export interface Swept {
  readonly targets: readonly string[];
  /** Of attempts that run, and of leases; null: one that was never seen. */
  readonly pids: readonly (number | null)[];
}

export const NOTHING_TO_SWEEP: Swept = { targets: [], pids: [] };

export const sweptOf = ({ targets, attempts, leases }: Pick<HostRows, 'targets' | 'attempts' | 'leases'>): Swept => ({
  targets,
  pids: [
    ...attempts.filter((row) => row.state === 'running' && row.pid !== null).map((row) => (row.pid_start ? row.pid : null)),
    ...leases.flatMap(({ pid }) => (pid === null ? [] : [pid])),
  ],
});

/** A look, cheap enough for every second, that wakes the loop when something it was not told of may have changed. */
export function sweeper(farm: Host, swept: () => Swept): () => Promise<void> {
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
      await sweepAttempts(farm, await endedAttempts(farm));
    }
    if (awake - pruned > PRUNE_MS) {
      pruned = awake;
      await purgeTrash(farm.places, TRASH_MS, now);
      await retireTemplates(farm);
      await pruneLogs(farm, now);
      await sweepTemporary(farm, await endedAttempts(farm));
    }
    // Who has the pid is asked by the next tick, which comes every ten seconds in any case.
    const { pids, targets } = swept();
    const dead = pids.some((pid) => pid === null || !isTaken(pid));
    seen = fingerprint(
      ...[...new Set([farm.target, ...targets])].flatMap((target) => refFiles(farm.repo.gitDir, target)),
      `${farm.repo.gitDir}/index`,
      `${farm.repo.gitDir}/HEAD`,
    );
    if (seen !== before.seen || dead) farm.wake();
  };
}

/** Makes a function that tells which attempts have ended and were settled. False for an attempt that the leader does not know. */
async function endedAttempts({ leader }: Host): Promise<(attempt: number) => boolean> {
  const { last, open } = await leader.attempts.numbers();
  const live = new Set(open);
  return (id) => id <= last && !live.has(id);
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

/** A log file, by its path below the folder of logs. */
interface LogFile {
  readonly name: string;
  readonly bytes: number;
  readonly changed: number;
}

const DAY = 24 * 3600_000;
/** Terminal and check logs are for looking back a while, not for ever. */
const KEPT_MS = 14 * DAY;
/** All of them together. A single one has at most 64 MB. */
const MOST_BYTES = 2 * 1024 ** 3;
/** A file that was written to within this time may belong to something that runs. */
const FRESH_MS = 3600_000;

/** One file an attempt, a check or a set-up. Logs that go on for as long as the farm does are rotated and not removed. */
const OF_ONE_RUN = /(^|\/)(a\d+(\.\d+)?|(checks|setup)\/[^/]+)\.log$/;

/** The logs to remove: those that are old, and then the oldest until the others fit. */
export function logsToRemove(files: readonly LogFile[], now: number): string[] {
  const runs = files.filter(({ name }) => OF_ONE_RUN.test(name)).sort((a, b) => b.changed - a.changed || a.name.localeCompare(b.name));
  let bytes = 0;
  return runs
    .filter((file) => {
      bytes += file.bytes;
      return now - file.changed > KEPT_MS || (bytes > MOST_BYTES && now - file.changed > FRESH_MS);
    })
    .map(({ name }) => name);
}
