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
 * The packs that a new lasting git of this repository may open. `undefined`: the repository may have no lasting git, because it borrows
 * objects from folders that others tidy, or because it is a shallow clone.
 */
export function openedIn(gitDir: string, before?: Opened): Opened | undefined {
  if (existsSync(join(gitDir, 'objects/info/alternates')) || existsSync(join(gitDir, 'shallow'))) return undefined;
  // The fingerprint first: then the next look sees what changes in between.
  const fingerprint = fingerprintOf(join(gitDir, 'objects/pack'));
  return before && fingerprint !== undefined && fingerprint === before.fingerprint
    ? before
    : { fingerprint, packs: new Set(packsIn(gitDir)) };
}

/**
 * The packs some time later. `undefined`: end the lasting git, because a pack that it may still read from was removed, and it would report
 * objects that are gone. A new pack is no reason: for objects that it does not find, a new git is asked.
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

/** A text that changes with any change of the folder. `undefined` when the folder is missing, or changed just now. */
export function fingerprintOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return Date.now() - Number(ctimeNs / 1_000_000n) < SETTLED_MS ? undefined : `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return undefined;
  }
}
