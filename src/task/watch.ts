import { type FSWatcher, statSync, watch } from 'node:fs';
import { relative } from 'node:path';
import { type Board, readBoard } from './layout.ts';

/** Editors and git write in bursts; one call for each burst. */
const QUIET_MS = 50;

/**
 * Calls `onChange` soon after something in the board changed, with the task files that did, by their paths below the board,
 * or without when it may be anything. Only a hint: a folder that cannot be watched costs latency,
 * nothing else. The board folder, each phase and its tasks are watched by name, so a thousand files need three watches.
 */
export function watchBoard(board: () => Board, onChange: (files?: ReadonlySet<string>) => void): { follow(): void; close(): void } {
  const watches = new Map<string, { watcher: FSWatcher; ino: number }>();
  let files = new Set<string>();
  let whole = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const follow = () => {
    const wanted = foldersOf(board().dir);
    for (const [dir, { watcher, ino }] of watches) {
      // A folder that was removed and made again has its name, and none of its watches.
      if (wanted.has(dir) && inodeOf(dir) === ino) continue;
      watcher.close();
      watches.delete(dir);
    }
    for (const [dir, holdsTasks] of wanted) if (!watches.has(dir)) start(dir, holdsTasks);
  };

  const start = (dir: string, holdsTasks: boolean) => {
    try {
      const ino = inodeOf(dir);
      const watcher = watch(dir, { persistent: false }, (_event, name) => changed(dir, holdsTasks ? name : null));
      watcher.on('error', () => drop(dir));
      watches.set(dir, { watcher, ino });
    } catch {
      // Gone again, or the system has no watches left: the next scan sees what we do not.
    }
  };

  const drop = (dir: string) => {
    watches.get(dir)?.watcher.close();
    watches.delete(dir);
    changed(dir, null);
  };

  const changed = (dir: string, name: string | null) => {
    if (closed) return;
    // Files on their way to their name, ours and those of editors.
    if (name?.startsWith('.')) return;
    if (name?.endsWith('.md')) files.add(`${relative(board().dir, dir)}/${name}`);
    else whole = true;
    timer ??= setTimeout(tell, QUIET_MS);
  };

  const tell = () => {
    const [named, all] = [files, whole];
    timer = undefined;
    files = new Set();
    whole = false;
    if (all) follow();
    onChange(all ? undefined : named);
  };

  follow();
  return {
    /** Watches folders that came without a word: a board that was away with its branch. */
    follow,
    close() {
      closed = true;
      clearTimeout(timer);
      for (const { watcher } of watches.values()) watcher.close();
      watches.clear();
    },
  };
}

/** The folders of a board, and whether task files lie in them. */
function foldersOf(dir: string): Map<string, boolean> {
  const { phases } = readBoard(dir);
  return new Map([
    [dir, false],
    ...phases.map((phase) => [phase.dir, false] as const),
    ...phases.map((phase) => [phase.tasksDir, true] as const),
  ]);
}

const inodeOf = (dir: string) => statSync(dir, { throwIfNoEntry: false })?.ino ?? 0;
