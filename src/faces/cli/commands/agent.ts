import { readFileSync } from 'node:fs';
import type { Speaker } from '../../../api/contract.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';

export async function done(context: Context): Promise<void> {
  const [summary, reason, unchanged] = [context.args.text('summary'), context.args.text('reason'), context.args.flag('no-change')];
  if (unchanged !== (reason !== undefined) || reason?.trim() === '')
    throw new FurrowError('USAGE', '--no-change and --reason belong together: say why no change is needed', {
      hint: 'furrow done --no-change --reason TEXT',
    });
  const result = given(context.args.text('result'));
  const said = {
    speaker: speaker(),
    ...(summary !== undefined && { summary }),
    ...(result !== undefined && { result }),
    ...(reason !== undefined && { unchanged: reason }),
  };
  const { task } = await context.ask('done', said);
  context.print(unchanged ? `${task} is handed in as needing no change` : `${task} is handed in`);
}

/** A text as it was typed, from standard input, or from a file. */
function given(text: string | undefined): string | undefined {
  if (text === '-') return readFileSync(0, 'utf8');
  if (!text?.startsWith('@')) return text;
  try {
    return readFileSync(text.slice(1), 'utf8');
  } catch (error) {
    throw new FurrowError('USAGE', `${text.slice(1)} cannot be read: ${(error as Error).message}`, { hint: 'furrow done --result TEXT' });
  }
}

export async function blocked(context: Context): Promise<void> {
  const { task } = await context.ask('blocked', { speaker: speaker(), reason: context.args.need('reason') });
  context.print(`${task} is given back as blocked`);
}

export async function progress(context: Context): Promise<void> {
  await context.ask('progress', { speaker: speaker(), text: context.args.need('TEXT') });
}

/** The agent this runs in, by the environment that furrow gave it; undefined for a person. */
export function speakerIfAny(env: NodeJS.ProcessEnv = process.env): Speaker | undefined {
  const { FURROW_AGENT: agent, FURROW_TASK, FURROW_ERRAND: task = FURROW_TASK, FURROW_PHASE: phase, FURROW_ATTEMPT: attempt } = env;
  return agent && task && phase && attempt && /^\d+$/.test(attempt) ? { agent, task, phase, attempt: Number(attempt) } : undefined;
}

export function speaker(env: NodeJS.ProcessEnv = process.env): Speaker {
  const found = speakerIfAny(env);
  if (found) return found;
  throw new FurrowError(
    'USAGE',
    'only an agent that furrow started can say this: FURROW_AGENT, FURROW_TASK, FURROW_PHASE or FURROW_ATTEMPT is not set',
    {
      hint: 'furrow move TASK STATUS, or furrow block TASK --reason TEXT',
    },
  );
}
