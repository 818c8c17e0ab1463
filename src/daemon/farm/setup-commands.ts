import { type SplitCommands, splitCommands } from '../../repo/setup/split-commands.ts';
import type { Farm } from './farm.ts';
import { trustedConfig } from './trust/acting.ts';

/** The set-up commands in force, by where they run. */
export function setupCommands(farm: Pick<Farm, 'config' | 'trust'>): SplitCommands {
  const { setup, env } = trustedConfig(farm).worktree;
  return splitCommands(setup, Object.keys(env));
}
