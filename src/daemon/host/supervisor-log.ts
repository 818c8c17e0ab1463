import { appendFileSync, closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { FarmEvent } from '../../api/contract.ts';
import { renameWhenLarge } from '../../platform/log.ts';
import type { Places } from '../../platform/places.ts';
import { cut } from '../../platform/text-width.ts';
import { visible } from '../../platform/visible.ts';
import { taskName } from '../../tell/face/subject-names.ts';

/** Some thousand events of one agent; the same again is kept as `furrow.log.1`. */
const LOG_BYTES = 1024 * 1024;

/** Enough of a title to know a task by; the frame of the window has more of it. */
const TASK_COLUMNS = 24;

/** One event in the pane of its agent: its time, its task with the title, and its text. */
export function supervisorLine({ at, task, title, text }: Pick<FarmEvent, 'at' | 'task' | 'title' | 'text'>): string {
  const about = task === null ? '' : `${cut(visible(taskName(task, title)), TASK_COLUMNS)}  `;
  return `${at.slice(11, 19)}  ${about}${text}\n`;
}

/** Adds lines to an agent's own log, and shows them in its supervisor pane when somebody has that open. */
export function tellSupervisor(places: Places, agent: string, lines: string): void {
  try {
    const log = join(places.logs, agent, 'furrow.log');
    mkdirSync(join(places.logs, agent), { recursive: true, mode: 0o700 });
    renameWhenLarge(log, LOG_BYTES);
    appendFileSync(log, lines, { mode: 0o600 });
    // Non-blocking: without a reader it fails at once (ENXIO), with a full pipe the lines are dropped; the log has them.
    const pipe = openSync(join(places.run, `${agent}.pipe`), constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      writeSync(pipe, lines);
    } finally {
      closeSync(pipe);
    }
  } catch {
    // Nobody is looking, or there is no room for it: neither may stop what it tells of.
  }
}
