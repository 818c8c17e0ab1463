import type { Context } from '../command.ts';
import { paintFor, stdout } from '../out.ts';
import { safe } from '../view/safe.ts';
import { attentionLines } from '../view/status.ts';

/** The daemon ranks the list; the first is the most urgent. */
export async function next(context: Context): Promise<void> {
  const { attention } = await (await context.farm()).call('status', {});
  context.document(attention[0] ?? null);
  const [first] = safe(attention);
  if (!first) return context.print('nothing needs you');
  const [, ...lines] = attentionLines({ attention: [first] }, Date.now(), paintFor(stdout));
  context.print(...lines);
  if (attention.length > 1) context.print(`and ${attention.length - 1} more: furrow status`);
}
