import { resolve } from 'node:path';
import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { fieldsFrom } from '../fields.ts';
import { isTerminal, stdout } from '../out.ts';
import { openEditor } from '../terminal.ts';
import { safe } from '../view/safe.ts';
import { blocked, unblocked } from './board.ts';

export async function edit(context: Context): Promise<number> {
  const { args } = context;
  const [task, title, note] = [args.need('TASK'), args.text('title'), args.text('note')];
  const [attach, unattach] = [args.list('attach')?.map((file) => resolve(file)), args.list('unattach')];
  const change = {
    ...fieldsFrom(args),
    ...(title !== undefined && { title }),
    ...(note !== undefined && { note }),
    ...(attach && { attach }),
    ...(unattach && { unattach }),
    ...(args.flag('release') && { release: true }),
  };
  const [status, reason, unblock] = [args.text('status'), args.text('block'), args.flag('unblock')];
  if (reason !== undefined && unblock)
    throw new FurrowError('USAGE', '--block and --unblock contradict each other', { hint: 'furrow edit --help' });
  const changes = Object.keys(change).length > 0;
  if (!changes && status === undefined && reason === undefined && !unblock) return byHand(context, task);
  const farm = await context.farm();
  const edited = changes ? await farm.call('edit', { task, ...change }) : undefined;
  const block = reason === undefined ? undefined : await farm.call('block', { task, reason });
  const free = unblock ? await farm.call('unblock', { task }) : undefined;
  const moved = status === undefined ? undefined : await farm.call('move', { task, status });
  const done = { ...edited, ...block, ...free, ...moved };
  context.document(done);
  const { id = task, file } = safe(done);
  if (file !== undefined) context.print(`${id} is changed in ${file}`);
  if (block) context.print(blocked(id));
  if (free) context.print(unblocked(id));
  if (moved) context.print(`${id} is ${safe(moved).status}`);
  return 0;
}

async function byHand(context: Context, task: string): Promise<number> {
  if (context.json || !isTerminal(stdout)) {
    throw new FurrowError('USAGE', 'furrow edit needs an option that says what to change', { hint: 'furrow edit --help' });
  }
  const { file } = await (await context.farm()).call('show', { task });
  return openEditor(resolve(context.place().root, file));
}
