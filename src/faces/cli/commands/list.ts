import type { Out, TaskState } from '../../../api/contract.ts';
import { TASK_STATES } from '../../../tell/face/states.ts';
import type { Context } from '../command.ts';
import { NO_FARM_HINT } from '../has-farm.ts';
import { type Paint, paintFor, stderr, stdout, write } from '../out.ts';
import { forReader } from '../view/at-words.ts';
import { columns, cut } from '../view/columns.ts';
import { taskGlyph } from '../view/glyph.ts';
import { safe } from '../view/safe.ts';

/** Prints the tasks. Problems of the board go to stderr, so that stdout is only the list. */
export async function list(context: Context): Promise<void> {
  if (!(await context.hasFarm())) {
    context.document([]);
    return context.print('no task: there is no farm in this repository yet', `begin with: ${NO_FARM_HINT}`);
  }
  const [phase, named] = [context.args.text('phase'), context.args.text('state')];
  const state = named === undefined ? undefined : stateNamed(named);
  const farm = await context.farm();
  const found = await farm.call('list', { ...(phase !== undefined && { phase }), ...(state !== undefined && { state }) });
  context.document(found.tasks);
  const { tasks, problems } = safe(found);
  if (tasks.length > 0) context.print(...forReader(listLines(tasks, paintFor(stdout))));
  else
    context.print(state === undefined ? 'the board is empty; add a task with: furrow add TITLE' : `no task is ${TASK_STATES[state].word}`);
  for (const problem of problems) write(stderr, `furrow: ${problem}\n`);
}

export function listLines(tasks: Out<'list'>['tasks'], paint: Paint): string[] {
  const phases = new Set(tasks.map((task) => task.phase));
  return columns(
    tasks.map((task) => [
      `${taskGlyph(task.state, paint)} ${phases.size > 1 ? `${task.phase}/` : ''}${task.id}`,
      TASK_STATES[task.state].word,
      cut(task.title, 60),
      task.taken_by ?? task.agent ?? '',
      paint.dim(task.reason ?? ''),
    ]),
  );
}

/** The state that a person names by its word, `in-queue`, or as `--json` has it. */
function stateNamed(name: string): TaskState {
  const states = Object.keys(TASK_STATES) as TaskState[];
  return states.find((state) => state === name) ?? states.find((state) => TASK_STATES[state].word === name.replace('-', ' '))!;
}
