import type { Context } from '../command.ts';
import { runBelow } from '../terminal.ts';
import { turn, wishOf } from './lease.ts';

/** Runs a command while it holds a resource. Should this process die, the lease ends with the last process of the command. */
export async function hold(context: Context): Promise<number> {
  const { args } = context;
  const farm = await context.farm();
  const count = args.number('count');
  const wish = { ...wishOf(args), ...(count !== undefined && { count }), wait: !args.flag('no-wait') };
  const { lease: asked, marker } = await farm.call('hold', { resource: args.need('NAME'), ...wish });
  const { id, token } = asked.state === 'waiting' ? await turn(context, asked) : asked;
  // By the third variable a daemon whose store was lost knows what is held.
  const held = [args.flag('shared') ? 'shared' : 'exclusive', count ?? 1, args.need('NAME')].join(' ');
  const env = { ...process.env, FURROW_HOLD: marker, FURROW_GRANT: String(token), FURROW_HELD: held };
  const code = await runBelow(args.list('COMMAND') ?? [], env);
  // A daemon that cannot be reached finds out by itself that this process is gone.
  await farm.call('unhold', { id }).catch(() => {});
  return code;
}
