import type { Context } from '../command.ts';
import { fieldsFrom } from '../fields.ts';

export async function add(context: Context): Promise<void> {
  const { args } = context;
  const phase = args.text('phase');
  const added = await context.ask('add', { title: args.need('TITLE'), ...fieldsFrom(args), ...(phase !== undefined && { phase }) });
  context.print(added.id);
}
