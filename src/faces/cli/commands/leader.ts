import { daemonEntry, STANDBY_FLAG } from '../../../api/start.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { runBelow } from '../terminal.ts';

export async function leader(context: Context): Promise<number> {
  if (!context.args.flag('standby')) throw new FurrowError('USAGE', 'say what is to be done', { hint: 'furrow leader --standby' });
  return runBelow([process.execPath, daemonEntry(), '--repo', context.place().root, STANDBY_FLAG], process.env);
}
