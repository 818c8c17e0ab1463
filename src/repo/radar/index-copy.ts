import { constants } from 'node:fs';
import { lstat, open, utimes, writeFile } from 'node:fs/promises';

/** Opens no link and does not wait at a pipe, in case an agent put one there. */
const PLAINLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const fingerprintOf = (stat: { ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint }) =>
  `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;

/** A text that differs for two states of an index, made without reading it; `undefined` when there is none. */
export async function indexFingerprint(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found?.isFile() ? fingerprintOf(found) : undefined;
}

/**
 * Copies an index that its owner may be replacing: git renames a new one into place, so one open file is one whole index. Returns the
 * fingerprint of the copied state. The copy gets the original's time, rounded down: git looks into a file that is not older than the index,
 * and an index dated later would hide an edit made in the same second.
 */
export async function copyIndex(from: string, to: string): Promise<string | undefined> {
  const file = await open(from, PLAINLY).catch(() => undefined);
  if (!file) return undefined;
  try {
    const found = await file.stat({ bigint: true });
    if (!found.isFile()) return undefined;
    await writeFile(to, await file.readFile(), { mode: 0o600 });
    const seconds = Number(found.mtimeNs / 1_000_000_000n);
    await utimes(to, seconds, seconds);
    return fingerprintOf(found);
  } finally {
    await file.close();
  }
}
