import type { Context } from '../command.ts';

export async function move(context: Context): Promise<void> {
  const moved = await context.ask('move', { task: context.args.need('TASK'), status: context.args.need('STATUS') });
  context.print(`${moved.id} is ${moved.status}`);
}

export async function block(context: Context): Promise<void> {
  const { id } = await context.ask('block', { task: context.args.need('TASK'), reason: context.args.need('reason') });
  context.print(blocked(id));
}

export async function unblock(context: Context): Promise<void> {
  const { id } = await context.ask('unblock', { task: context.args.need('TASK') });
  context.print(unblocked(id));
}

export async function remove(context: Context): Promise<void> {
  const { removed } = await context.ask('remove', { tasks: context.args.list('TASK') ?? [] });
  context.print(removed.map(({ id, file }) => `${id} is off the board; its file is kept as ${file}`).join('\n'));
}

export const blocked = (id: string): string => `${id} is blocked; give it back with: furrow unblock ${id}`;

export const unblocked = (id: string): string => `${id} is no longer blocked`;
