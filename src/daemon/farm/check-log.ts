import { join } from 'node:path';
import type { Farm } from './farm.ts';

/** Names a new file for the output of a check on a tree. */
export function checkLog({ places, clock }: Pick<Farm, 'places' | 'clock'>, tree: string, check: string): string {
  const name = `${tree.slice(0, 12)}-${check.replaceAll(/[^A-Za-z0-9._-]/g, '-')}-${clock.now()}.log`;
  return join(places.logs, 'checks', name);
}
