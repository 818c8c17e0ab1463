import { type FSWatcher, statSync, watch } from 'node:fs';
import { join, relative } from 'node:path';
import { type Board, CONFIG, isConfig, readBoard } from './layout.ts';

/** Editors and git write in bursts; one call for each burst. */
const QUIET_MS = 50;

export interface BoardWatch {
  /** Looks for folders of the board that appeared without an event. */
  follow(): void;
  close(): void;
}

/**
 * Calls `onChange` soon after the board changed, with the changed task files and configs by their paths below the board, or without them
 * when anything may have changed. It is only a hint: a folder that cannot be watched costs latency, nothing else. It watches the board folder, each phase
 * and its tasks, so a thousand files need three watches.
 */
export function watchBoard(board: () => Board, onChange: (files?: ReadonlySet<string>) => void): BoardWatch {
  const watcher = new BoardWatcher(board, onChange);
  watcher.follow();
  return watcher;
}

class BoardWatcher {
  readonly #board: () => Board;
  readonly #onChange: (files?: ReadonlySet<string>) => void;
  readonly #watches = new Map<string, { watcher: FSWatcher; ino: number }>();
  #files = new Set<string>();
  #whole = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(board: () => Board, onChange: (files?: ReadonlySet<string>) => void) {
    this.#board = board;
    this.#onChange = onChange;
  }

  /** Watches folders that appeared without an event: a board that was away with its branch. */
  follow(): void {
    const wanted = foldersOf(this.#board().dir);
    for (const [dir, { watcher, ino }] of this.#watches) {
      // A folder that was removed and made again has the same name, but no watch.
      if (wanted.has(dir) && inodeOf(dir) === ino) continue;
      watcher.close();
      this.#watches.delete(dir);
    }
    for (const [dir, holdsTasks] of wanted) if (!this.#watches.has(dir)) this.#start(dir, holdsTasks);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { watcher } of this.#watches.values()) watcher.close();
    this.#watches.clear();
  }

  #start(dir: string, holdsTasks: boolean): void {
    try {
      const ino = inodeOf(dir);
      const watcher = watch(dir, { persistent: false }, (_event, name) => this.#changed(dir, name, holdsTasks));
      watcher.on('error', () => this.#drop(dir));
      this.#watches.set(dir, { watcher, ino });
    } catch {
      // It is gone again, or the system has no watches left: the next scan sees the changes.
    }
  }

  #drop(dir: string): void {
    this.#watches.get(dir)?.watcher.close();
    this.#watches.delete(dir);
    this.#changed(dir, null, false);
  }

  #changed(dir: string, name: string | null, holdsTasks: boolean): void {
    if (this.#closed) return;
    // Temporary files, ours and those of editors.
    if (name?.startsWith('.')) return;
    if (name !== null && (holdsTasks ? name.endsWith('.md') : name === CONFIG))
      this.#files.add(join(relative(this.#board().dir, dir), name));
    else this.#whole = true;
    this.#timer ??= setTimeout(() => this.#tell(), QUIET_MS);
  }

  #tell(): void {
    const [named, all] = [this.#files, this.#whole];
    this.#timer = undefined;
    this.#files = new Set();
    this.#whole = false;
    if (all || [...named].some(isConfig)) this.follow();
    this.#onChange(all ? undefined : named);
  }
}

/** The folders of a board, and whether they hold task files. */
function foldersOf(dir: string): Map<string, boolean> {
  const { phases } = readBoard(dir);
  return new Map([
    [dir, false],
    ...phases.map((phase) => [phase.dir, false] as const),
    ...phases.map((phase) => [phase.tasksDir, true] as const),
  ]);
}

const inodeOf = (dir: string) => statSync(dir, { throwIfNoEntry: false })?.ino ?? 0;
