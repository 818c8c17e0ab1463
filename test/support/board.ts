import { stringify } from 'yaml';
import type { TestRepo } from './repo.ts';

export interface TestTask {
  readonly id: string | number;
  readonly title?: string;
  readonly status?: string;
  readonly priority?: string;
  readonly depends_on?: readonly (string | number)[];
  readonly agent?: string;
  readonly paths?: readonly string[];
  readonly body?: string;
  /** Lines of a script block, put at the end of the body. */
  readonly script?: readonly string[];
  /** Any other frontmatter. */
  readonly more?: Record<string, unknown>;
}

/** Writes the tasks as kanban-md files: `board/tasks/` for one phase, `board/<phase>/tasks/` for a named one. */
export async function writeBoard(repo: TestRepo, tasks: readonly TestTask[], phase?: string): Promise<string[]> {
  const folder = phase === undefined ? 'board/tasks' : `board/${phase}/tasks`;
  const names = tasks.map((task) => `${folder}/${fileName(task)}`);
  for (const [i, task] of tasks.entries()) await repo.write(names[i]!, taskFile(task));
  return names;
}

export function fileName(task: TestTask): string {
  const slug = (task.title ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-|-$/g, '');
  return `${String(task.id).padStart(3, '0')}-${slug || 'task'}.md`;
}

export function taskFile(task: TestTask): string {
  const front = {
    id: task.id,
    title: task.title ?? `Task ${task.id}`,
    status: task.status ?? 'todo',
    priority: task.priority ?? 'medium',
    created: '2026-01-01T00:00:00Z',
    updated: '2026-01-01T00:00:00Z',
    ...(task.depends_on && { depends_on: task.depends_on }),
    ...(task.agent && { agent: task.agent }),
    ...(task.paths && { paths: task.paths }),
    ...task.more,
  };
  const script = task.script ? ['```script', ...task.script, '```'].join('\n') : '';
  const body = [task.body, script].filter(Boolean).join('\n\n');
  return `---\n${stringify(front, { indent: 4, lineWidth: 0 })}---\n${body ? `\n${body}\n` : ''}`;
}
