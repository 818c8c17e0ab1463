/** A log file, by its path below the folder of logs. */
export interface LogFile {
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
