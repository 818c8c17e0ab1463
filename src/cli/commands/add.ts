import type { Context } from '../command.ts';
import { fieldsFrom } from '../fields.ts';

export async function add(context: Context): Promise<void> {
  const { words } = context;
  const phase = words.text('phase');
  const added = await context.ask('add', { title: words.need('TITLE'), ...fieldsFrom(words), ...(phase !== undefined && { phase }) });
  context.print(added.id);
}
