import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseTask } from '../../work/task/parse.ts';
import type { Task } from '../../work/task/store.ts';
import type { Farm } from './farm.ts';

/** The text of a task from its file; empty for an errand, and for a file that is missing or cannot be read now. */
export async function taskText({ board }: Pick<Farm, 'board'>, { file }: Pick<Task, 'file'>): Promise<string> {
  if (file === '') return '';
  const parsed = parseTask(await readFile(join(board.dir, file), 'utf8').catch(() => ''), file);
  return parsed.ok ? parsed.task.body : '';
}
