import type { Out } from '../../../api/contract.ts';
import { parseDuration } from '../../../config/duration.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Arguments, Context } from '../command.ts';
import { stderr, write } from '../out.ts';
import { columns } from '../view/columns.ts';

type Lease = Out<'locks'>['leases'][number];

export async function reserve(context: Context): Promise<void> {
  const { args } = context;
  const farm = await context.farm();
  const { lease: asked } = await farm.call('reserve', { globs: args.list('GLOB') ?? [], ...wishOf(args), wait: args.flag('wait') });
  const lease = asked.state === 'waiting' ? await turn(context, asked) : asked;
  context.document({ lease });
  context.print(lease.id);
}

export async function release(context: Context): Promise<void> {
  const id = context.args.text('ID');
  const { released } = await context.ask('release', { ...(id !== undefined && { id }) });
  context.print(released.length === 0 ? 'nothing was held' : `released ${released.join(', ')}`);
}

export async function locks(context: Context): Promise<void> {
  const { leases, resources } = await context.ask('locks', {});
  const [held, waiting] = [leases.filter((one) => one.state === 'held'), leases.filter((one) => one.state === 'waiting')];
  if (held.length > 0)
    context.print('held', ...columns(held.map((one) => [`  ${one.id}`, one.holder, what(one), end(one), one.reason ?? ''])));
  if (waiting.length > 0)
    context.print('waiting', ...columns(waiting.map((one) => [`  ${one.id}`, one.holder, what(one), `behind ${behind(one)}`])));
  if (resources.length > 0)
    context.print(
      'resources',
      ...columns(resources.map((one) => [`  ${one.name}`, `${one.used} of ${one.capacity} held`, `${one.waiting} waiting`])),
    );
  if (leases.length + resources.length === 0) context.print('nothing is held');
}

/** The options that `reserve` and `hold` have in common. */
export function wishOf(args: Arguments) {
  const [time, reason] = [args.text('for'), args.text('reason')];
  const forMs = time === undefined ? undefined : parseDuration(time);
  if (time !== undefined && (forMs === undefined || forMs === 0))
    throw new FurrowError('USAGE', `--for must be a time such as 10m, not "${time}"`, { hint: '--for 10m' });
  return { shared: args.flag('shared'), ...(forMs !== undefined && { forMs }), ...(reason !== undefined && { reason }) };
}

/** Waits until the lease is held, and says behind whom. Ctrl-C leaves the line. */
export async function turn(context: Context, asked: Lease): Promise<Lease> {
  const farm = await context.farm();
  write(stderr, `furrow: waits for ${what(asked)}: behind ${behind(asked)}\n`);
  const leave = () => void farm.call('unhold', { id: asked.id }).finally(() => process.exit(130));
  process.once('SIGINT', leave);
  const { lease } = await farm.call('leaseTurn', { id: asked.id });
  process.off('SIGINT', leave);
  if (lease.state === 'held') return lease;
  throw new FurrowError('HELD', `the lease on ${what(asked)} was ended while it waited`, { hint: 'furrow locks' });
}

function what({ names, kind, count, mode }: Lease): string {
  return `${kind === 'resource' && count > 1 ? `${count} of ` : ''}${names.join(', ')}${mode === 'shared' ? ' (shared)' : ''}`;
}

const end = ({ until, overdue }: Lease) => (until === null ? '' : `${overdue ? 'overdue since' : 'until'} ${until.slice(11, 19)}`);

const behind = (lease: Lease) =>
  lease.behind.map(({ id, holder, reason }) => `${holder} (${id}${reason === null ? '' : `: ${reason}`})`).join(', ');
