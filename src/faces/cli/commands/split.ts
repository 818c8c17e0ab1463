import { createInterface } from 'node:readline/promises';
import type { Out } from '../../../api/contract.ts';
import { canAsk } from '../ask-trust.ts';
import type { Context } from '../command.ts';
import { stderr, write } from '../out.ts';
import { safe } from '../view/safe.ts';

/** Asks an agent for tasks, waits for them, shows them, and puts them on the board after a yes. */
export async function split(context: Context): Promise<number> {
  const { args } = context;
  const [task, goal, kind] = [args.text('TASK'), args.text('goal'), args.text('agent')];
  const farm = await context.farm();
  const given = { ...(task !== undefined && { task }), ...(goal !== undefined && { goal }), ...(kind !== undefined && { kind }) };
  const { id } = await farm.call('split', given);
  write(stderr, `${id}: an agent is asked; furrow status shows how far it is\n`);
  const ready = await farm.call('splitReady', { id });
  if (ready.state !== 'proposed') {
    context.document({ ...ready, board: {} });
    write(stderr, `furrow: there is no proposal: ${safe(ready.reason ?? ready.state)}\n  try: furrow why ${id}\n`);
    return 1;
  }
  context.print(...safe(ready.graph));
  return decided(context, ready);
}

async function decided(context: Context, ready: Out<'splitReady'>): Promise<number> {
  const { id, question } = ready;
  const asks = !context.args.flag('yes') && canAsk(context.json);
  const approve = context.args.flag('yes') || (asks && (await agreed()));
  if (!approve && !asks) {
    context.document({ ...ready, board: {} });
    context.print(`question ${question}: furrow answer ${question} yes puts them on the board, no does not`);
    return 0;
  }
  const { tasks } = await (await context.farm()).call('splitAnswer', { id, approve });
  context.document({ ...ready, state: 'answered', board: tasks });
  context.print(...(approve ? Object.entries(tasks).map(([key, made]) => `${key} is ${made}`) : ['nothing was put on the board']));
  return approve ? 0 : 1;
}

async function agreed(): Promise<boolean> {
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((end) => ask.once('close', () => end('')));
  try {
    return /^y(es)?$/i.test((await Promise.race([ask.question('put them on the board? [y/N] '), ended])).trim());
  } finally {
    ask.close();
  }
}
