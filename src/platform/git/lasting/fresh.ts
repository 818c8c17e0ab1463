import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The packs that a lasting git may have open, and the fingerprint of their folder when they were listed. */
export interface Opened {
  readonly packs: ReadonlySet<string>;
  readonly fingerprint: string | undefined;
}

/** The kernel stamps files by a clock of 4 ms: a folder that changed this recently may change again without a sign. */
const SETTLED_MS = 100;

/**
 * The packs that a lasting git of this repository goes by from now on. `undefined`: none may be kept, because objects are in other folders, too, which
 * others tidy, or because the history ends somewhere.
 */
export function openedIn(gitDir: string, before?: Opened): Opened | undefined {
  if (existsSync(join(gitDir, 'objects/info/alternates')) || existsSync(join(gitDir, 'shallow'))) return undefined;
  // The fingerprint first: what changes in between is seen the next time.
  const fingerprint = fingerprintOf(join(gitDir, 'objects/pack'));
  return before && fingerprint !== undefined && fingerprint === before.fingerprint
    ? before
    : { fingerprint, packs: new Set(packsIn(gitDir)) };
}

/**
 * The same some time later. `undefined`: it must make way. A pack is gone that it may still read from: after a gc it would call an object there
 * that is not. A pack that came is no reason: what a lasting git does not find, a fresh one is asked.
 */
export function stillGood(gitDir: string, before: Opened): Opened | undefined {
  const opened = openedIn(gitDir, before);
  return opened && before.packs.isSubsetOf(opened.packs) ? opened : undefined;
}

function packsIn(gitDir: string): string[] {
  try {
    return readdirSync(join(gitDir, 'objects/pack')).filter((name) => name.endsWith('.pack'));
  } catch {
    return [];
  }
}

/** A fingerprint that is another one after any change. `undefined` when it is not there, or changed just now. */
export function fingerprintOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return Date.now() - Number(ctimeNs / 1_000_000n) < SETTLED_MS ? undefined : `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return undefined;
  }
}
