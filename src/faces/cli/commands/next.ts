import type { Out } from '../../../api/contract.ts';
import { FurrowError } from '../../../platform/error.ts';
import { stepsFor } from '../../../work/question/next-step.ts';
import { canAsk } from '../ask-trust.ts';
import type { Context } from '../command.ts';
import { findCommand } from '../find.ts';
import { readKey, readLine } from '../keys.ts';
import { isTerminal, paintFor, stderr, stdout, write } from '../out.ts';
import { runCommand, tellError } from '../run-command.ts';
import { forReader } from '../view/at-words.ts';
import { questionLines, wholeQuestion } from '../view/question.ts';
import { type WalkDoor, walk } from '../walk-questions.ts';

type Question = Out<'status'>['attention'][number];

const openOf = async (context: Context) => (await (await context.farm()).call('status', {})).attention;

/** The daemon ranks the list; the first is the most urgent. At a terminal the person goes through all of it. */
export async function next(context: Context): Promise<void> {
  const id = context.args.text('QUESTION');
  const walks = id === undefined && !context.args.flag('full') && canAsk(context.json) && isTerminal(stdout);
  if (walks) return walkThrough(context);
  const attention = await openOf(context);
  const found = id === undefined ? attention[0] : attention.find((question) => question.id === id);
  if (id !== undefined && !found) throw new FurrowError('NO_QUESTION', `there is no open question ${id}`, { hint: 'furrow status' });
  context.document(found ? { ...found, steps: stepsFor(found) } : null);
  if (!found) return context.print('nothing needs you');
  const lines = context.args.flag('full') ? wholeQuestion : questionLines;
  context.print(...forReader(lines(found, Date.now(), paintFor(stdout))));
  if (id === undefined && attention.length > 1) context.print(`and ${attention.length - 1} more: furrow status`);
}

async function walkThrough(context: Context): Promise<void> {
  const { dealtWith, skipped } = await walk(doorOf(context));
  const left = (await openOf(context)).length;
  if (left === 0) context.print(dealtWith === 0 ? 'nothing needs you' : 'nothing else needs you');
  else
    context.print(
      `${left} ${left === 1 ? 'thing needs' : 'things need'} you still${skipped > 0 ? `, ${skipped} skipped` : ''}: furrow next`,
    );
}

function doorOf(context: Context): WalkDoor<Question> {
  const paint = paintFor(stdout);
  const repo = context.args.text('repo');
  return {
    list: () => openOf(context),
    stepsOf: stepsFor,
    show(question, left, whole) {
      const lines = whole ? wholeQuestion : questionLines;
      const more = left > 0 ? [paint.dim(`  and ${left} more behind it`)] : [];
      context.print('', ...forReader([...lines(question, Date.now(), paint), ...more]), '');
    },
    say: (text) => write(stderr, `${text}\n`),
    key: () => readKey(),
    line: readLine,
    async run(words) {
      const { command, rest } = findCommand(context.commands, [...words]);
      try {
        return (await runCommand(context.commands, command, [...rest, ...(repo === undefined ? [] : ['--repo', repo])], noHelp)) === 0;
      } catch (error) {
        if (!(error instanceof FurrowError)) throw error;
        tellError(error);
        return false;
      }
    },
  };
}

/** A step never asks for help. */
const noHelp = async () => 0;
