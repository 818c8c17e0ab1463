import { openIntents } from '../../journal/act.ts';
import type { CheckArgs } from '../acts/check-run/arguments.ts';
import type { Farm } from './farm.ts';

/** A check that runs now, or waits for its slot to be prepared. */
export interface RunningCheck extends CheckArgs {
  /** When it was asked for. */
  readonly at: number;
}

/** Every check under way, whoever asked for it, the oldest first. It comes from the store, so it survives a crash. */
export async function runningChecks({ db }: Pick<Farm, 'db'>): Promise<RunningCheck[]> {
  return (await openIntents(db, 'check.run')).map(({ args, at }) => ({ ...(args as CheckArgs), at }));
}
