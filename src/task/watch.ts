import { type FSWatcher, watch } from 'node:fs';
import { type Board, readBoard } from './layout.ts';

/** Editors and git write in bursts; one call for each burst. */
const QUIET_MS = 50;

/**
 * Calls `onChange` soon after something in the board changed. Only a hint: a folder that cannot be watched costs latency,
 * nothing else. The board folder, each phase and its tasks are watched by name, so a thousand files need three watches.
 */
export function watchBoard(board: Board, onChange: () => void): { close(): void } {
  const watches = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const follow = () => {
    const wanted = foldersOf(board.dir);
    for (const [dir, watcher] of watches) {
      if (wanted.has(dir)) continue;
      watcher.close();
      watches.delete(dir);
    }
    for (const dir of wanted) if (!watches.has(dir)) start(dir);
  };

  const start = (dir: string) => {
    try {
      const watcher = watch(dir, { persistent: false }, changed);
      watcher.on('error', () => drop(dir));
      watches.set(dir, watcher);
    } catch {
      // Gone again, or the system has no watches left: the next scan sees what we do not.
    }
  };

  const drop = (dir: string) => {
    watches.get(dir)?.close();
    watches.delete(dir);
    changed();
  };

  const changed = () => {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      follow();
      onChange();
    }, QUIET_MS);
  };

  follow();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      for (const watcher of watches.values()) watcher.close();
      watches.clear();
    },
  };
}

function foldersOf(dir: string): Set<string> {
  return new Set([dir, ...readBoard(dir).phases.flatMap((phase) => [phase.dir, phase.tasksDir])]);
}
