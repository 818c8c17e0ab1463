import { stoppedAt } from '../../platform/stop-file.ts';
import type { Context } from './command.ts';

/** After a word that a stopped farm has stored and does not act on: what lets it go on. */
export function tellStopped(context: Context): void {
  if (stoppedAt(context.place().gitDir) !== undefined)
    context.print('the farm is stopped: this takes effect after furrow work or furrow resume');
}
