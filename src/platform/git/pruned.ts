import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The names of the folders that loose objects are in. */
const FOLDERS = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));
/** The name of an object, not of a file that git is just writing there. */
const OBJECT = /^[0-9a-f]{38,62}$/;

interface Folder {
  readonly changed: number;
  readonly names: readonly string[];
}

const NO_FOLDER: Folder = { changed: 0, names: [] };

/**
 * Returns a function that answers whether a loose object has disappeared since its last call. A bare `git prune` leaves no other trace: it
 * writes no pack, and no file while it works. Each call costs 256 `stat` calls and a listing of the folders that changed.
 */
export function objectsGone(gitDir: string): () => boolean {
  const known = new Map<string, Folder>();
  return () => {
    let gone = false;
    for (const name of FOLDERS) {
      const before = known.get(name) ?? NO_FOLDER;
      const now = lookAt(join(gitDir, 'objects', name), before);
      if (now === before) continue;
      known.set(name, now);
      const there = new Set(now.names);
      gone ||= before.names.some((one) => !there.has(one));
    }
    return gone;
  };
}

function lookAt(path: string, before: Folder): Folder {
  try {
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changed === before.changed) return before;
    return changed === 0 ? NO_FOLDER : { changed, names: readdirSync(path).filter((name) => OBJECT.test(name)) };
  } catch {
    // It is gone, or we may not read it: the next look, or git, says more.
    return before;
  }
}
