import { join, resolve } from 'node:path';
import { type Board, isFolder, readBoard } from './layout.ts';

export type { Board } from './layout.ts';
export { hashOf, scan } from './scan.ts';

const PLACES = ['board', 'kanban', '.batty/kanban'];

/** The board to use: the configured one, one of the usual places, else the folder that `furrow init` would make. */
export async function boardFor(root: string, configured?: string): Promise<Board> {
  return (await findBoard(root, configured)) ?? readBoard(resolve(root, configured ?? 'board'));
}

/** The configured board, or the first of the usual places that is a board. A folder that merely has such a name is none. */
export async function findBoard(root: string, configured?: string): Promise<Board | undefined> {
  if (configured !== undefined) return isFolder(resolve(root, configured)) ? readBoard(resolve(root, configured)) : undefined;
  for (const place of PLACES) {
    const board = isFolder(join(root, place)) ? readBoard(join(root, place)) : undefined;
    if (board && board.phases.length > 0) return board;
  }
  return undefined;
}
