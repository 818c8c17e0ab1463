import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { tellStopped } from '../tell-stopped.ts';
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
  const { id } = await context.ask('retry', { task: context.args.need('TASK') });
  context.print(`${id} gets a new attempt`);
  tellStopped(context);
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
