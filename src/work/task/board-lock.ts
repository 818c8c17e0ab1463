import { join } from 'node:path';
import { withFlock } from '../../platform/flock.ts';
import type { Board } from './layout.ts';

/** Runs something while holding kanban-md's lock for writing to a board. A board without that file is not used with kanban-md. */
export function withBoardLock<T>(dir: string, run: () => Promise<T>): Promise<T> {
  return withFlock(join(dir, '.lock'), run);
}

/** The folder of a phase: the one with its config.yml and its lock. */
export function phaseDir(board: Board, name: string): string {
  return board.phases.find((phase) => phase.name === name)?.dir ?? board.dir;
}
