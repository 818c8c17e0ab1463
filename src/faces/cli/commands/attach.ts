import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { isTerminal, stdout } from '../out.ts';
import { attachTmux } from '../terminal.ts';

export async function attach(context: Context): Promise<number> {
  if (!isTerminal(stdout)) throw new FurrowError('NO_TERMINAL', 'furrow attach needs a terminal', { hint: 'furrow status' });
  const agent = context.args.text('AGENT');
  const farm = await context.farm();
  const { socket, session, window } = await farm.call('attach', agent === undefined ? {} : { agent });
  // The terminal may be attached for hours; the daemon need not hold a line for it.
  farm.close();
  return attachTmux(socket, session, window);
}
