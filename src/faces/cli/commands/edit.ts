import { resolve } from 'node:path';
import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { fieldsFrom } from '../fields.ts';
import { isTerminal, stdout } from '../out.ts';
import { openEditor } from '../terminal.ts';

export async function edit(context: Context): Promise<number> {
  const { args } = context;
  const [task, title, note] = [args.need('TASK'), args.text('title'), args.text('note')];
  const change = {
    ...fieldsFrom(args),
    ...(title !== undefined && { title }),
    ...(note !== undefined && { note }),
    ...(args.flag('release') && { release: true }),
  };
  if (Object.keys(change).length === 0) return byHand(context, task);
  const { id, file } = await context.ask('edit', { task, ...change });
  context.print(`${id} is changed in ${file}`);
  return 0;
}

async function byHand(context: Context, task: string): Promise<number> {
  if (context.json || !isTerminal(stdout)) {
    throw new FurrowError('USAGE', 'furrow edit needs an option that says what to change', { hint: 'furrow edit --help' });
  }
  const { file } = await (await context.farm()).call('show', { task });
  return openEditor(resolve(context.place().root, file));
}
