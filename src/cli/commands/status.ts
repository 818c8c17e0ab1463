import type { Context } from '../command.ts';
import { paintFor, stdout } from '../out.ts';

export async function status(context: Context): Promise<void> {
  const found = await context.ask('status', {});
  if (context.json) return;
  const { statusLines } = await import('../view/status.ts');
  context.print(...statusLines(found, Date.now(), paintFor(stdout)));
}
