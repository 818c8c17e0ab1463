import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../../../platform/error.ts';
import { TASK_STATES } from '../../../tell/face/states.ts';
import { beginErrand, errandsAbout } from '../../../work/errand/store.ts';
import { splitBrief } from '../../../work/split/brief.ts';
import { splitRef } from '../../../work/task/id.ts';
import { parseTask } from '../../../work/task/parse.ts';
import type { Task } from '../../../work/task/store.ts';
import { agentSettings, canStart } from '../../farm/agent-settings.ts';
import type { Farm } from '../../farm/farm.ts';
import { phaseForErrand } from '../../leader/work/work.ts';
import { board } from '../board.ts';
import { type Desk, findTask } from '../context.ts';

interface Asked {
  readonly task?: string | undefined;
  readonly goal?: string | undefined;
  readonly kind?: string | undefined;
}

/** Asks an agent to split a task or a goal. Answers the id of the errand. */
export async function beginSplit(desk: Desk, { task: name, goal, kind }: Asked): Promise<string> {
  const { farm } = desk;
  if ((name === undefined) === (goal === undefined))
    throw new FurrowError('USAGE', 'say which task, or a goal, and not both', { hint: 'furrow split TASK, or furrow split --goal TEXT' });
  if (kind !== undefined) agentSettings(farm.config, kind);
  await desk.readBoard();
  const task = name === undefined ? undefined : await splittable(farm, name);
  const now = farm.clock.now();
  const brief = await briefFor(farm, task, goal ?? '');
  const title = task ? `Split ${task.id}: ${task.title}` : `Split a goal: ${goal!.split('\n')[0]!.slice(0, 80)}`;
  const ref = await farm.db.transaction().execute(async (tx) => {
    const phase = await phaseForErrand(tx, farm, task?.phase ?? null, now);
    const errand = {
      purpose: 'split',
      about: task?.ref ?? null,
      phase,
      kind: kind ?? null,
      title,
      brief,
      base: null,
      notBy: null,
    } as const;
    return beginErrand(tx, errand, now);
  });
  const { id } = splitRef(ref);
  // No agent begins with the whole while it is being cut up. Whoever blocked it before keeps it so.
  if (task && task.blocked === 0) await board(desk).block({ task: task.ref, reason: splitting(id) }, PERSON);
  farm.wake();
  return id;
}

/** The reason by which a block is known to be that of a split. */
export const splitting = (id: string) => `is being split: ${id}`;

/** The call is made here, for whoever was allowed to ask for the split. */
export const PERSON = { caller: { kind: 'person' }, signal: new AbortController().signal, item: () => {} } as const;

async function splittable(farm: Farm, name: string): Promise<Task> {
  const task = await findTask(farm, name);
  if (task.purpose !== 'work') throw new FurrowError('NO_TASK', `${task.id} is not on the board`, { hint: 'furrow list' });
  if (task.standing !== 'open' && task.standing !== 'parked')
    throw new FurrowError(
      'TASK_BUSY',
      `${task.id} is ${TASK_STATES[task.standing].word}: a task can be split only before an agent starts on it`,
      {
        hint: `furrow why ${task.id}`,
      },
    );
  const open = (await errandsAbout(farm.db, task.ref)).find((one) => one.purpose === 'split' && one.standing !== 'landed');
  if (open) throw new FurrowError('TASK_BUSY', `${task.id} is already being split: ${open.id}`, { hint: `furrow why ${open.id}` });
  return task;
}

async function briefFor(farm: Farm, task: Task | undefined, goal: string): Promise<string> {
  const text = task && parseTask(await readFile(join(farm.board.dir, task.file), 'utf8'), task.file);
  const { tasks } = await farm.tasks();
  const open = tasks.filter((one) => one.purpose === 'work' && one.standing !== 'landed' && one.ref !== task?.ref);
  return splitBrief({
    goal: task ? `${task.id}: ${task.title}` : goal,
    body: text?.ok ? text.task.body : '',
    kinds: Object.keys(farm.config.agents).filter((kind) => canStart(farm.config, kind)),
    priorities: farm.board.config.priorities,
    open: open.map(({ id, title }) => ({ id, title })),
  });
}
