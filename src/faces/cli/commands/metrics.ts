import { exposition } from '../../../tell/metrics/exposition.ts';
import type { Context } from '../command.ts';
import { stdout, write } from '../out.ts';

export async function metrics(context: Context): Promise<void> {
  const { families } = await context.ask('metrics', {});
  if (!context.json) write(stdout, exposition(families));
}
