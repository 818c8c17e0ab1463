import { parseDuration } from '../../../config/duration.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { columns, span } from '../view/columns.ts';
import { safe } from '../view/safe.ts';

export async function invite(context: Context): Promise<void> {
  const { args } = context;
  const [listen, as, time] = [args.text('listen'), args.text('as'), args.text('for')];
  const port = args.number('port');
  const forMs = time === undefined ? undefined : parseDuration(time);
  if (time !== undefined && !forMs) throw new FurrowError('USAGE', `--for must be a time such as 1h, not "${time}"`, { hint: '--for 1h' });
  const farm = await context.farm();
  const { command, url, until, listens } = await farm.call('hostInvite', {
    ...(listen !== undefined && { listen }),
    ...(port !== undefined && { port }),
    ...(as !== undefined && { as }),
    ...(forMs !== undefined && { forMs }),
  });
  context.document({ command, url });
  context.print('on the other machine, once:', `  ${command}`);
  if (listens.startsWith('127.0.0.1:')) context.print(...throughSsh(listens));
  context.print(
    `the invitation can be used by one machine, until ${until.slice(0, 16).replace('T', ' ')} UTC; furrow hosts shows who has joined`,
  );
}

/** Only this machine can reach the loopback address: others need a way. */
const throughSsh = (listens: string) => [
  'the farm listens on this machine alone; another one comes through ssh, in a terminal of its own:',
  `  ssh -N -L ${listens.slice(listens.indexOf(':') + 1)}:${listens} THIS-MACHINE`,
  'or name an address: furrow host invite --listen ADDRESS',
];

export async function hosts(context: Context): Promise<void> {
  const farm = await context.farm();
  const found = safe((await farm.call('hosts', {})).hosts);
  context.document(found);
  const now = Date.now();
  const rows = found.map(({ name, state, labels, checks, checking, agents, working, heard }) => [
    name,
    state,
    labels.join(','),
    state === 'removed' ? '' : `${checking} of ${checks} checks`,
    state === 'removed' || agents === 0 ? '' : `${working} of ${agents} agents`,
    state === 'unknown' ? (heard === null ? 'not heard of' : `last heard of ${span(now - Date.parse(heard))} ago`) : '',
  ]);
  context.print(...columns(rows));
  if (found.length === 1) context.print('  furrow host invite, to let another machine join');
}

export async function drain(context: Context): Promise<void> {
  const on = !context.args.flag('undo');
  const { name, state } = await context.ask('hostDrain', { name: context.args.need('NAME'), on });
  context.print(on ? `${name} gets nothing new (${state})` : `${name} is ${state}`);
}

export async function remove(context: Context): Promise<void> {
  const { name } = await context.ask('hostRemove', { name: context.args.need('NAME') });
  context.print(`${name} is removed; its key is refused from now on`);
}
