import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import { discard } from '../../platform/git/trash.ts';
import { phaseDir, withBoardLock } from '../../work/task/board-lock.ts';
import { indexTasks, resolve } from '../../work/task/derive.ts';
import { wasWorkedOn } from '../../work/task/file-change.ts';
import type { Task } from '../../work/task/store.ts';
import { type Desk, findTask } from './context.ts';

/** Takes tasks off the board. Their files go to the trash: one that was never committed would be gone for good. */
export function removal(desk: Desk): Pick<Handlers, 'remove'> {
  const { farm } = desk;
  return {
    async remove({ tasks: names }) {
      await desk.readTasks();
      const tasks: Task[] = [];
      for (const name of new Set(names)) tasks.push(await findTask(farm, name));
      for (const task of tasks) assertNeverWorkedOn(task);
      await assertNotNeeded(desk, tasks);
      const removed: { id: string; file: string }[] = [];
      for (const task of tasks) {
        const file = join(farm.board.dir, task.file);
        const kept = await withBoardLock(phaseDir(farm.board, task.phase), async () =>
          lstatSync(file, { throwIfNoEntry: false }) ? discard(file, farm.places.trash, basename(file)) : undefined,
        );
        if (kept !== undefined) removed.push({ id: task.id, file: kept });
      }
      await desk.readTasks(tasks.map((task) => task.file));
      return { removed };
    },
  };
}

function assertNeverWorkedOn(task: Task): void {
  if (task.standing === 'leased')
    throw new FurrowError('TASK_BUSY', `an agent works on ${task.id}`, { hint: 'furrow status, then furrow stop AGENT' });
  if (wasWorkedOn(task))
    throw new FurrowError('TASK_WORKED_ON', `${task.id} was worked on, and its attempts and landings are told by it`, {
      hint: `furrow edit ${task.id} --status archived`,
    });
}

/** A task that waits for one that is gone would wait for ever. */
async function assertNotNeeded({ farm }: Desk, tasks: readonly Task[]): Promise<void> {
  const { plan } = await farm.tasks();
  const index = indexTasks(plan);
  const gone = new Set(tasks.map((task) => task.ref));
  for (const one of plan) {
    if (gone.has(one.ref) || one.standing === 'landed') continue;
    const needed = one.dependsOn.map((name) => resolve(index, one, name)).find((other) => other && gone.has(other.ref));
    if (needed)
      throw new FurrowError('TASK_NEEDED', `${one.id} waits for ${needed.id}`, {
        hint: `remove both, or change what it waits for: furrow edit ${one.id} --depends-on ID,…`,
      });
  }
}
