import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { candidates, SCRIPTS } from '../complete.ts';
import { offers } from '../completions.ts';
import { shown } from '../find.ts';
import { safe } from '../view/safe.ts';

export async function completion(context: Context): Promise<void> {
  const shell = context.args.need('SHELL');
  const script = SCRIPTS[shell];
  if (script === undefined) {
    throw new FurrowError('USAGE', `there is no completion for ${shell}, only for ${Object.keys(SCRIPTS).join(', ')}`, {
      hint: 'furrow completion bash',
    });
  }
  context.print(script.trimEnd());
}

/** One candidate a line, its meaning after a tab. A farm that does not run is not started for a Tab key, and no error is shown. */
export async function complete(context: Context): Promise<void> {
  const line = context.args.list('WORDS') ?? [];
  const { fixed, ask } = candidates(shown(context.commands), line);
  const live = ask === undefined ? [] : await offers(context, ask);
  const typed = line.at(-1) ?? '';
  const fitting = [...fixed, ...safe(live)].filter((candidate) => candidate.word.startsWith(typed));
  context.print(...fitting.map(({ word, says }) => `${word}\t${says.replace(/\s+/g, ' ')}`));
}
