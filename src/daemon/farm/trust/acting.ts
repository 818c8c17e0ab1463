import type { Config } from '../../../config/schema.ts';
import type { Farm } from '../farm.ts';

/** The configuration by which things run that were started: one that nobody has trusted yet changes nothing about them. */
export const trustedConfig = ({ trust, config }: Pick<Farm, 'trust' | 'config'>): Config => trust.config ?? config;
