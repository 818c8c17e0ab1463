import type { Insertable } from 'kysely';
import type { TaskRow } from '../../../src/journal/rows/task.ts';

/** The row of a task in phase `p` that nobody has begun with. */
export const taskRow = (id: string): Insertable<TaskRow> => ({
  ref: `p/${id}`,
  phase: 'p',
  id,
  file: `${id}.md`,
  hash: 'h',
  title: id,
  status: 'todo',
  priority: 'medium',
  class: 'standard',
  due: null,
  created: 0,
  depends_on: '[]',
  tags: '[]',
  agent: null,
  paths: '[]',
  check: null,
  blocked: 0,
  block_reason: null,
  standing: 'open',
  attempt: 0,
  failures: 0,
  crashes: 0,
  not_before: 0,
  rework: null,
  want: null,
  commit: null,
});
