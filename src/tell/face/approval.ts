import type { Question, QueueEntry } from './view.ts';

/** A person is asked for a yes to this entry: it lacks nothing else, or its review is left to them. */
export function asksYes(
  { task, code }: Pick<QueueEntry, 'task' | 'code'>,
  attention: readonly Pick<Question, 'kind' | 'subject'>[],
): boolean {
  return code === 'approval' || (code === 'review' && attention.some(({ kind, subject }) => kind === 'review' && subject === task));
}
