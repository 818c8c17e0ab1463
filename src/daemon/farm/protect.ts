import { relative } from 'node:path';
import { judgingFiles } from '../../repo/change-rules/check-files.ts';
import { type ProtectRules, protectedIn } from '../../repo/change-rules/protected.ts';
import type { Farm } from './farm.ts';

type Ruled = Pick<Farm, 'config' | 'board' | 'repo'>;

/** The rules in force about paths: those that never land through the queue, and those that a person should see. */
export function protectRules({ config, board, repo }: Ruled): ProtectRules {
  const folder = board.dir.startsWith(`${repo.root}/`) ? relative(repo.root, board.dir) : undefined;
  return { protect: config.protect, board: folder, checks: judgingFiles(config) };
}

/** The paths among these that an agent's work may not change. */
export const protectedPaths = (farm: Ruled, paths: readonly string[]): string[] => protectedIn('agent', protectRules(farm), paths);
