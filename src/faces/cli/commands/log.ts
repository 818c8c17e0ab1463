import type { FarmEvent, In } from '../../../api/contract.ts';
import type { Context } from '../command.ts';
import { paintFor, stderr, stdout, write } from '../out.ts';
import { eventLine } from '../view/event.ts';

/** Under `--json` each event is a document of its own, a line each, as they come. */
export async function log(context: Context): Promise<void> {
  const paint = paintFor(stdout);
  const show = context.json
    ? (event: FarmEvent) => context.document(event)
    : (event: FarmEvent) => write(stdout, `${eventLine(event, paint)}\n`);
  const farm = await context.farm();
  const since = context.args.number('since') ?? 0;
  let shown = 0;
  await farm.stream('log', wanted(context), (event) => {
    if (event.seq < since) return;
    shown++;
    show(event);
  });
  if (shown === 0 && !context.json) write(stderr, `furrow: no event${asked(context)}\n`);
}

/** The filters of the command line in words, for the message "no events". */
function asked({ args }: Context): string {
  const [agent, task, since] = [args.text('agent'), args.text('task'), args.number('since')];
  return [agent && ` of agent ${agent}`, task && ` of task ${task}`, since !== undefined && ` from number ${since} on`]
    .filter(Boolean)
    .join('');
}

/** People who follow want the last screen, as with `tail -f`; programs want everything. */
const SCREEN = 20;

function wanted({ args, json }: Context): In<'log'> {
  const follow = args.flag('follow');
  const [agent, task, since] = [args.text('agent'), args.text('task'), args.number('since')];
  const last = args.number('last') ?? (follow && !json && since === undefined ? SCREEN : undefined);
  return {
    ...(follow && { follow }),
    ...(agent !== undefined && { agent }),
    ...(task !== undefined && { task }),
    ...(last !== undefined && { last }),
    // The call gives what comes after a number.
    ...(since !== undefined && { since: Math.max(0, since - 1) }),
  };
}
