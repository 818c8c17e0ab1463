import { matchesAny } from '../platform/glob.ts';
import type { Farm } from './farm.ts';

/** Agents change neither the board nor the configuration that judges them, whatever `protect` says. */
export function protectedPatterns(farm: Farm): readonly string[] {
  const board = farm.board.dir.startsWith(`${farm.repo.root}/`) ? farm.board.dir.slice(farm.repo.root.length + 1) : undefined;
  return [...farm.config.protect, 'furrow.yaml', ...(board ? [`${board}/**`] : [])];
}

export const isProtected = (farm: Farm, path: string): boolean => matchesAny(path, protectedPatterns(farm));
