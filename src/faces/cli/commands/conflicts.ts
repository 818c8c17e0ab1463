import type { Context } from '../command.ts';
import { columns } from '../view/columns.ts';

/** Exits with 1 when there is a conflict, so that scripts can ask. */
export async function conflicts(context: Context): Promise<number> {
  const { pairs, with_target: withTarget } = await context.ask('conflicts', {});
  const none = pairs.length + withTarget.length === 0;
  if (none) context.print('no conflicts in the work of the agents');
  if (pairs.length > 0) context.print('with each other', ...columns(pairs.map(({ a, b, paths }) => [`  ${a}`, b, listed(paths)])));
  if (withTarget.length > 0)
    context.print('with the target', ...columns(withTarget.map(({ task, paths }) => [`  ${task}`, listed(paths)])));
  return none ? 0 : 1;
}

const SHOWN = 5;

function listed(paths: readonly string[]): string {
  const rest = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
  return paths.slice(0, SHOWN).join(', ') + rest;
}
