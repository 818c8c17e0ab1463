import type { ListedTask } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { taskName } from '../../src/tell/face/subject-names.ts';
import { useView } from '../link/use-farm.ts';
import { href } from '../shell/route.ts';

/** Made once for each list of tasks: hundreds of rows ask for it. */
const kept = new WeakMap<readonly ListedTask[], ReadonlyMap<string, string>>();

export function titlesOf(tasks: readonly ListedTask[]): ReadonlyMap<string, string> {
  const known = kept.get(tasks);
  if (known) return known;
  const made = new Map(tasks.map(({ id, title }) => [id, title]));
  kept.set(tasks, made);
  return made;
}

/** The name of a task with its title, wherever its number would stand alone: `7 · Show prices`. */
export function useTaskName(): (task: string, title?: string | null) => string {
  const titles = titlesOf(useView((view) => view.tasks));
  return (task, title) => visible(taskName(task, title ?? titles.get(task)));
}

interface TaskLinkProps {
  readonly task: string;
  /** Where it is known; else that of the board. */
  readonly title?: string | null | undefined;
  readonly view?: 'board' | 'changes';
  /** The rest of the address, where it is not the task. */
  readonly rest?: string;
}

/** A task by its number and title, which leads to it. */
export function TaskLink({ task, title, view = 'board', rest = task }: TaskLinkProps) {
  const name = useTaskName()(task, title);
  return (
    <a href={href(view, rest)} title={name}>
      {name}
    </a>
  );
}
