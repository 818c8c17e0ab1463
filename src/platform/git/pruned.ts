import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The names of the folders that loose objects are in. */
const FOLDERS = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));
/** Not the files that git is just writing there. */
const OBJECT = /^[0-9a-f]{38,62}$/;

interface Folder {
  readonly changed: number;
  readonly names: readonly string[];
}

const NO_FOLDER: Folder = { changed: 0, names: [] };

/**
 * Answers, from the second time on, whether a loose object is gone that was there the time before. A bare `git prune` leaves no other trace: it
 * writes no pack, and no file that says that it is at work. It costs 256 `stat` calls, and the names in folders that changed.
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
    // Gone meanwhile, or not ours to read: the next look, or git, says more.
    return before;
  }
}
