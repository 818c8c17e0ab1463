import { FurrowError } from '../../../platform/error.ts';
import { stepsFor } from '../../../work/question/next-step.ts';
import type { Context } from '../command.ts';
import { paintFor, stderr, write } from '../out.ts';
import { tellStopped } from '../tell-stopped.ts';
import { wholeQuestion } from '../view/question.ts';

export async function answer(context: Context): Promise<void> {
  const [question, text] = [context.args.need('QUESTION'), context.args.text('TEXT')];
  if (text === undefined) return show(context, question);
  const { id } = await context.ask('answer', { question, text });
  context.print(`${id} is answered`);
  tellStopped(context);
}

/** Without an answer, shows the whole request with the possible answers, so that nobody answers unread. */
async function show(context: Context, id: string): Promise<void> {
  const { attention } = await (await context.farm()).call('status', {});
  const found = attention.find((question) => question.id === id);
  if (!found) throw new FurrowError('NO_QUESTION', `there is no open question ${id}`, { hint: 'furrow status' });
  context.document({ ...found, steps: stepsFor(found) });
  if (!context.json) write(stderr, `${wholeQuestion(found, Date.now(), paintFor(stderr)).join('\n')}\n`);
  throw new FurrowError('USAGE', `question ${id} is not answered: say TEXT`, { hint: 'one of the commands above' });
}
