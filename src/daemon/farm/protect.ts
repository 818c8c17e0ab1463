import { relative } from 'node:path';
import { judgingFiles } from '../../repo/screen/check-files.ts';
import { type GuardRules, protectedIn } from '../../repo/screen/guarded.ts';
import type { Farm } from './farm.ts';

/** The rules in force about paths: what never lands by the queue, and what deserves a person's look. */
export function guardRules({ config, board, repo }: Pick<Farm, 'config' | 'board' | 'repo'>): GuardRules {
  const folder = board.dir.startsWith(`${repo.root}/`) ? relative(repo.root, board.dir) : undefined;
  return { protect: config.protect, board: folder, checks: judgingFiles(config) };
}

/** The paths among these that an agent's work may not change. */
export const protectedPaths = (farm: Farm, paths: readonly string[]): string[] => protectedIn('agent', guardRules(farm), paths);
