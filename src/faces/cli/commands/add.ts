import { resolve } from 'node:path';
import type { Context } from '../command.ts';
import { fieldsFrom } from '../fields.ts';

export async function add(context: Context): Promise<void> {
  const { args } = context;
  const phase = args.text('phase');
  const files = args.list('attach')?.map((file) => resolve(file));
  const more = { ...(phase !== undefined && { phase }), ...(files && { attach: files }) };
  const added = await context.ask('add', { title: args.need('TITLE'), ...fieldsFrom(args), ...more });
  context.print(added.id);
}
