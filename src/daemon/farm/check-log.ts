import { join } from 'node:path';
import { openIntents } from '../../journal/act.ts';
import type { CheckArgs } from '../acts/check-run/arguments.ts';
import type { Farm } from './farm.ts';

/** Names a new file for the output of a check on a tree. */
export function checkLog({ places, clock }: Pick<Farm, 'places' | 'clock'>, tree: string, check: string): string {
  const name = `${tree.slice(0, 12)}-${check.replaceAll(/[^A-Za-z0-9._-]/g, '-')}-${clock.now()}.log`;
  return join(places.logs, 'checks', name);
}

/** A check that runs now, or waits for its slot to be prepared. */
export interface RunningCheck extends CheckArgs {
  /** When it was asked for. */
  readonly at: number;
}

/** Every check under way, whoever asked for it, the oldest first. It comes from the store, so it survives a crash. */
export async function runningChecks({ db }: Pick<Farm, 'db'>): Promise<RunningCheck[]> {
  return (await openIntents(db, 'check.run')).map(({ args, at }) => ({ ...(args as CheckArgs), at }));
}
