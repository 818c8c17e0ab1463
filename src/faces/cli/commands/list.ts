import type { Context } from '../command.ts';
import { NO_FARM_HINT } from '../has-farm.ts';
import { paintFor, stderr, stdout, write } from '../out.ts';
import { columns, cut } from '../view/columns.ts';
import { taskGlyph } from '../view/glyph.ts';
import { safe } from '../view/safe.ts';

/** Prints the tasks. Problems of the board go to stderr, so that stdout is only the list. */
export async function list(context: Context): Promise<void> {
  if (!(await context.hasFarm())) {
    context.document([]);
    return context.print('no task: there is no farm in this repository yet', `begin with: ${NO_FARM_HINT}`);
  }
  const [phase, state] = [context.args.text('phase'), context.args.text('state')];
  const farm = await context.farm();
  const found = await farm.call('list', { ...(phase !== undefined && { phase }), ...(state !== undefined && { state }) });
  context.document(found.tasks);
  const { tasks, problems } = safe(found);
  const paint = paintFor(stdout);
  const phases = new Set(tasks.map((task) => task.phase));
  const rows = tasks.map((task) => [
    `${taskGlyph(task.state, paint)} ${phases.size > 1 ? `${task.phase}/` : ''}${task.id}`,
    task.state,
    cut(task.title, 60),
    task.taken_by ?? task.agent ?? '',
    paint.dim(task.reason ?? ''),
  ]);
  if (tasks.length > 0) context.print(...columns(rows));
  else context.print(state === undefined ? 'the board is empty; add a task with: furrow add TITLE' : `no task is ${state}`);
  for (const problem of problems) write(stderr, `furrow: ${problem}\n`);
}
