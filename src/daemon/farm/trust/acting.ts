import type { Config } from '../../../config/schema.ts';
import type { Farm } from '../farm.ts';

/** The configuration for things that already run: a new one that nobody has trusted yet changes nothing about them. */
export const trustedConfig = ({ trust, config }: Pick<Farm, 'trust' | 'config'>): Config => trust.config ?? config;
