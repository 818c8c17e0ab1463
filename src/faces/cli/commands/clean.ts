import type { Context } from '../command.ts';
import { paintFor, stdout } from '../out.ts';
import { columns } from '../view/columns.ts';
import { endFarm, isRunning } from './stop.ts';

export async function cleanUp(context: Context): Promise<void> {
  const dryRun = context.args.flag('dry-run');
  // A stopped farm stays stopped: a daemon that is started for this command ends after it.
  const running = isRunning(context);
  const { removed, kept } = await context.ask('clean', { dryRun });
  const paint = paintFor(stdout);
  const gone = removed.map((one) => [dryRun ? 'would remove' : 'removed', one.path, paint.dim(one.what)]);
  const stays = kept.map((one) => ['kept', one.path, paint.dim(one.reason)]);
  context.print(...columns([...gone, ...stays]));
  if (removed.length === 0) context.print('nothing to remove');
  if (!running && isRunning(context)) await endFarm(context, { leave: true });
}
