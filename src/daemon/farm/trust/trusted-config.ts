import type { Config } from '../../../config/schema.ts';
import { type SplitCommands, splitCommands } from '../../../repo/setup/split-commands.ts';
import type { Farm } from '../farm.ts';

interface Configured extends Pick<Farm, 'config'> {
  readonly trust: Pick<Farm['trust'], 'config'>;
}

/** The configuration for things that already run: a new one that nobody has trusted yet changes nothing about them. */
export const trustedConfig = ({ trust, config }: Configured): Config => trust.config ?? config;

/** The set-up commands in force, by where they run. */
export function setupCommands(farm: Configured): SplitCommands {
  const { setup, env } = trustedConfig(farm).worktree;
  return splitCommands(setup, Object.keys(env));
}
