import { stringify } from 'yaml';
import { loadConfig } from '../../config/load.ts';
import { clean } from '../../platform/clean.ts';
import type { Context } from '../command.ts';

/** Read here and not by the daemon: a configuration that is wrong keeps the daemon from starting. */
export async function config(context: Context): Promise<void> {
  const found = await loadConfig(context.place().root);
  context.document(found);
  if (!context.json) context.print(clean(stringify(found)).trimEnd());
}
