import { daemonEntry } from '../../../api/start.ts';
import type { Context } from '../command.ts';
import { foregroundDaemon } from '../terminal.ts';

export async function daemon(context: Context): Promise<number> {
  return foregroundDaemon(daemonEntry(), context.place().root);
}
