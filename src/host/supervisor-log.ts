import { appendFileSync, closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../platform/places.ts';

/** Adds a line to an agent's own log, and shows it in its supervisor pane when somebody has that open. */
export function tellSupervisor(places: Places, agent: string, line: string): void {
  try {
    mkdirSync(join(places.logs, agent), { recursive: true });
    appendFileSync(join(places.logs, agent, 'furrow.log'), `${line}\n`);
    // Non-blocking: without a reader it fails at once (ENXIO), with a full pipe the line is dropped; the log has it.
    const pipe = openSync(join(places.run, `${agent}.pipe`), constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      writeSync(pipe, `${line}\n`);
    } finally {
      closeSync(pipe);
    }
  } catch {
    // Nobody is looking, or there is no room for it: neither may stop what it tells of.
  }
}
