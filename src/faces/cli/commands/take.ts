import { quotedIfNeeded } from '../../../platform/shell.ts';
import type { Context } from '../command.ts';
import { short } from '../view/glyph.ts';
import { safe } from '../view/safe.ts';

export async function take(context: Context): Promise<void> {
  const { task, worktree, branch, by, setup, problem } = safe(await context.ask('take', { task: context.args.need('TASK') }));
  context.print(
    `${task} is yours, ${by}: no agent gets it`,
    `  cd ${quotedIfNeeded(worktree)}`,
    `  branch ${branch}`,
    ...(problem === null ? [] : [`  it is not set up: ${problem}`]),
    ...(setup.length > 0 ? [`  ${problem === null ? 'not run here' : 'set it up with'}: ${setup.join(' && ')}`] : []),
    `commit there, then furrow submit hands it in; furrow give ${task} gives it back to the agents`,
  );
}

export async function give(context: Context): Promise<void> {
  const note = context.args.text('note');
  const given = await context.ask('give', { task: context.args.need('TASK'), ...(note !== undefined && { note }) });
  const { task, from } = safe(given);
  const next = from === null ? '' : `; its next attempt starts with what you did (${short(from)})`;
  context.print(`${task} is given back${next}`);
}
