import { constants } from 'node:fs';
import { lstat, open, utimes, writeFile } from 'node:fs/promises';

/** Not through a link, and without waiting for the other end of a pipe, if that is what an agent put there. */
const PLAINLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const fingerprintOf = (stat: { ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint }) =>
  `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;

/** Tells two states of an index apart without reading it; `undefined` when there is none. */
export async function indexFingerprint(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found?.isFile() ? fingerprintOf(found) : undefined;
}

/**
 * Copies an index that its owner may be replacing: git does so by a rename, so one open file is one whole index. Returns
 * the fingerprint of what was copied. The copy gets the original's time, rounded down: git takes a file for possibly changed
 * when it is not older than the index, and an index dated later would hide an edit made in the same second.
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
