import type { Context } from '../command.ts';
import { tellStopped } from '../tell-stopped.ts';

export async function pause(context: Context): Promise<void> {
  const { paused } = await context.ask('pause', agentOf(context));
  const [name] = 'agent' in agentOf(context) ? paused : [];
  context.print(`${name ?? 'the farm'} gets no more tasks; resume with: furrow resume${name ? ` ${name}` : ''}`);
}

export async function resume(context: Context): Promise<void> {
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

export function agentOf(context: Context): { agent?: string } {
  const agent = context.args.text('AGENT');
  return agent === undefined ? {} : { agent };
}
