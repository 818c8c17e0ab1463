import type { FarmEvent } from '../../../api/contract.ts';
import { beginning, visible } from '../../../platform/visible.ts';
import { taskName } from '../../../tell/face/subject-names.ts';
import type { Paint } from '../out.ts';
import { cut, pad } from './columns.ts';

/** Longer than this, a line has the beginning of the text. */
const SHOWN = 1200;

/** The beginning of a title is enough to recognise a task. */
const TASK = 24;

/** Time, agent, task with its title, text. Widths are fixed: a line is printed before the next is known. */
export function eventLine(event: FarmEvent, paint: Paint): string {
  const at = new Date(event.at).toTimeString().slice(0, 8);
  const text = beginning(visible(event.text || event.kind), SHOWN, `furrow log --json --since ${event.seq}`);
  return `${paint.dim(at)}  ${paint.cyan(pad(visible(event.agent ?? '-'), 14))}  ${pad(event.task === null ? '-' : cut(visible(taskName(event.task, event.title)), TASK), TASK)}  ${text}`;
}

const BOOKKEEPING: ReadonlySet<string> = new Set(['task.added', 'task.edited', 'task.removed']);

/** True for events that deserve a line while work goes on: acts of the farm, not what it read from the board. */
export function ofNote(event: FarmEvent): boolean {
  return event.text !== '' && !BOOKKEEPING.has(event.kind);
}
