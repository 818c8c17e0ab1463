import { FurrowError } from '../../platform/error.ts';
import type { Context } from '../command.ts';
import { paintFor, stdout } from '../out.ts';
import { questionLines, wholeQuestion } from '../view/question.ts';

/** The daemon ranks the list; the first is the most urgent. */
export async function next(context: Context): Promise<void> {
  const { attention } = await (await context.farm()).call('status', {});
  const id = context.args.text('QUESTION');
  const found = id === undefined ? attention[0] : attention.find((question) => question.id === id);
  if (id !== undefined && !found) throw new FurrowError('NO_QUESTION', `there is no open question ${id}`, { hint: 'furrow status' });
  context.document(found ?? null);
  if (!found) return context.print('nothing needs you');
  const lines = context.args.flag('full') ? wholeQuestion : questionLines;
  context.print(...lines(found, Date.now(), paintFor(stdout)));
  if (id === undefined && attention.length > 1) context.print(`and ${attention.length - 1} more: furrow status`);
}
