import { statSync, watch } from 'node:fs';
import type { Repo } from '../../platform/git/run.ts';

type Where = Pick<Repo, 'root' | 'gitDir'>;

/** Remembers the checkout and the git folder as they are now; afterwards says whether one of them was removed, moved or replaced. */
export function goneFrom({ root, gitDir }: Where): () => boolean {
  const opened = [inode(root), inode(gitDir)];
  return () => inode(root) !== opened[0] || inode(gitDir) !== opened[1];
}

/** Throws where the machine cannot look: that is no proof. */
function inode(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev}:${found.ino}`;
}

/**
 * Calls `onGone` once the repository is gone. The event is for what the daemon must not do meanwhile: whatever makes its folder before it
 * writes would make the checkout again. Nobody tells of a folder further up that was moved, so `goneFrom` is asked each second, too.
 */
export function watchRepository({ root }: Where, isGone: () => boolean, onGone: () => void): { close(): void } {
  try {
    const watcher = watch(root, { persistent: false }, (event) => {
      if (event === 'rename' && isGone()) onGone();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // No watch is left on this machine.
    return { close() {} };
  }
}
