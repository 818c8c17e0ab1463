import { stoppedAt } from '../../platform/stop-file.ts';
import type { Context } from './command.ts';

/** Names the command that resumes a stopped farm, after a call that it stored and does not act on. */
export function tellStopped(context: Context): void {
  if (stoppedAt(context.place().gitDir) !== undefined)
    context.print('the farm is stopped: this takes effect after furrow work or furrow resume');
}
