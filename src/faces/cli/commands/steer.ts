import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { tellStopped } from '../tell-stopped.ts';
import { safe } from '../view/safe.ts';
import { pauseQueue, resumeQueue } from './queue.ts';

export async function pause(context: Context): Promise<void> {
  if (forQueue(context)) return pauseQueue(context);
  const { paused } = await context.ask('pause', agentOf(context));
  const [name] = 'agent' in agentOf(context) ? paused : [];
  context.print(`${name ?? 'the farm'} gets no more tasks; resume with: furrow resume${name ? ` ${name}` : ''}`);
}

export async function resume(context: Context): Promise<void> {
  if (forQueue(context)) return resumeQueue(context);
  const { resumed, wasStopped } = await context.ask('resume', agentOf(context));
  const [name] = 'agent' in agentOf(context) ? resumed : [];
  context.print(`${name ?? 'the farm'} gets tasks again`);
  if (wasStopped) context.print('the farm is not stopped any more: the queue lands again; start agents with: furrow work');
}

export async function retry(context: Context): Promise<void> {
  const farm = await context.farm();
  const named = context.args.list('TASK') ?? [];
  if (context.args.flag('all') === named.length > 0)
    throw new FurrowError('USAGE', 'say which tasks get a new attempt, or --all for every parked one', {
      hint: 'furrow retry TASK…, or furrow retry --all',
    });
  const reason = context.args.text('reason');
  const ids: string[] = [];
  for (const task of named.length > 0 ? named : await parked(context)) {
    const { id } = await farm.call('retry', { task, ...(reason !== undefined && { reason }) });
    ids.push(id);
    context.print(`${safe(id)} gets a new attempt`);
  }
  context.document(named.length === 1 ? { id: ids[0] } : { ids });
  if (ids.length === 0) context.print('no task is parked');
  else tellStopped(context);
}

async function parked(context: Context): Promise<string[]> {
  const { tasks } = await (await context.farm()).call('list', { state: 'parked' });
  return tasks.map(({ phase, id }) => `${phase}/${id}`);
}

function forQueue({ args }: Context): boolean {
  if (args.flag('queue') && args.text('AGENT') !== undefined)
    throw new FurrowError('USAGE', '--queue is about the merge queue, which has no agents', { hint: 'furrow pause --help' });
  return args.flag('queue');
}

export function agentOf(context: Context): { agent?: string } {
  const agent = context.args.text('AGENT');
  return agent === undefined ? {} : { agent };
}
